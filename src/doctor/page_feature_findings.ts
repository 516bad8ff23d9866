/** What a launched browser shows of the features that reach into pages: humanized input and the console fallback. */
import { isJsonObject, type JsonObject } from "../protocol/json_rpc.ts";
import { ok, warning } from "./check.ts";
import type { Finding } from "./report.ts";

const FEATURES = [
  {
    key: "humanize",
    title: "Humanized input",
    remedy: "Leave --humanize out, or use a version of this program whose Playwright fits",
  },
  {
    key: "consoleFallback",
    title: "The console fallback",
    remedy: "Use --no-console-fallback, or a version of this program whose Playwright fits",
  },
] as const;

/**
 * Nothing of what the settings do not ask for.
 *
 * @param bridgeInfo the report of `cloakbrowser_bridge_info` while a page is open
 */
export function pageFeatureFindings(bridgeInfo: JsonObject): Finding[] {
  return FEATURES.flatMap(({ key, title, remedy }) => {
    const state = bridgeInfo[key];
    if (!isJsonObject(state) || state["enabled"] !== true) return [];
    const reason = typeof state["reason"] === "string" ? `: ${state["reason"]}` : "";
    if (state["active"] === true) return [ok(`${title} is active${reason}`)];
    if (state["switchedOff"] === true) return [warning(`${title} has switched itself off${reason}`, remedy)];
    return [ok(`${title} is not active${reason}`)];
  });
}
