import { canUseCdp } from "../../settings/cdp_rules.ts";
import { describeFileFault } from "../../settings/file_fault.ts";
import { parsePortRange } from "../../settings/port_range.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Finding } from "../report.ts";
import { type Check, type CheckResult, error, ok, skipped, warning } from "../check.ts";

/** How many ports of a range are tried: more sessions than this no machine serves. */
const MOST_TRIED = 1000;

/** How many ports of the CDP range are free. */
export const CDP_CHECK: Check = {
  name: "cdp",
  boundMs: 8000,
  async run({ resolved: { settings } }): Promise<CheckResult> {
    const range = parsePortRange(settings.cdpPortRange);
    if (range === undefined || !canUseCdp(settings)) {
      return { findings: [skipped("Not applicable: no session can have a CDP address")] };
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
          return { findings: [finding] };
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
    const certificate = await judgeCertificate(settings);
    return { findings: certificate === undefined ? [finding] : [finding, certificate], details };
  },
};

/** As a lease would use it, on a port that nobody knows. */
async function judgeCertificate({ cdpTlsCert, cdpTlsKey }: Settings): Promise<Finding | undefined> {
  if (cdpTlsCert === undefined || cdpTlsKey === undefined) return undefined;
  try {
    const [cert, key] = await Promise.all([Deno.readTextFile(cdpTlsCert), Deno.readTextFile(cdpTlsKey)]);
    Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key }).close();
    return ok("The certificate and its key can be used");
  } catch (cause) {
    return error(
      `Cannot use "${cdpTlsCert}" with "${cdpTlsKey}" for CDP: ${describeFileFault(cause)}`,
      "Correct the files, or name others with --cdp-tls-cert and --cdp-tls-key",
    );
  }
}
