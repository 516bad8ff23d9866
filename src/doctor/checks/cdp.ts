import { canUseCdp } from "../../settings/cdp_rules.ts";
import { describeFileFault } from "../../settings/file_fault.ts";
import { parsePortRange } from "../../settings/port_range.ts";
import { type Check, type CheckResult, error, ok, skipped, warning } from "../check.ts";

/** How many ports of a range are tried: more sessions than this no machine serves. */
const MOST_TRIED = 1000;

/** How many ports of the CDP range are free. */
export const CDP_CHECK: Check = {
  name: "cdp",
  boundMs: 8000,
  run({ resolved: { settings } }): Promise<CheckResult> {
    const range = parsePortRange(settings.cdpPortRange);
    if (range === undefined || !canUseCdp(settings)) {
      return Promise.resolve({ findings: [skipped("Not applicable: no session can have a CDP address")] });
    }
    const { cdpHost: hostname, cdpEnabled, httpSessionMax, transport } = settings;
    const last = Math.min(range.last, range.first + MOST_TRIED - 1);
    const taken: number[] = [];
    for (let port = range.first; port <= last; port++) {
      try {
        Deno.listen({ hostname, port }).close();
      } catch (cause) {
        if (!(cause instanceof Deno.errors.AddrInUse)) {
          const reason = describeFileFault(cause);
          const remedy = "Choose another --cdp-host or --cdp-port-range";
          const finding = error(`Cannot listen on "${hostname}:${port}" for CDP: ${reason}`, remedy);
          return Promise.resolve({ findings: [finding] });
        }
        taken.push(port);
      }
    }
    const tried = last - range.first + 1;
    const free = tried - taken.length;
    const details = { host: hostname, range: settings.cdpPortRange ?? null, tried, free, taken };
    const remedy = "End what listens there, or choose another --cdp-port-range";
    const wanted = cdpEnabled && transport !== "stdio" ? httpSessionMax : 1;
    const finding = free === 0
      ? error(`Every port of the CDP range ${settings.cdpPortRange} is taken`, remedy)
      : free < wanted
      ? warning(`${free} CDP ports are free, and up to ${wanted} sessions may each want one`, remedy)
      : ok(`${free} of ${tried} CDP ports are free`);
    return Promise.resolve({ findings: [finding], details });
  },
};
