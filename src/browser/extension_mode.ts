/**
 * Playwright's extension mode: upstream attaches to a Chrome that the user runs already. What shapes a browser that is
 * started here has no place in it, and must not be dropped without a word.
 */

import type { Settings } from "../settings/settings.ts";
import { chooseProxy } from "./browser_proxy.ts";
import { usesExtension } from "./upstream_choice.ts";
import { isSwitchedOn, upstreamOption, type UpstreamSources } from "./upstream_option.ts";

export type ExtensionModeSettings = Pick<
  Settings,
  "cdpEnabled" | "geoipProxyMatch" | "contextOptions" | "extensionPaths" | "extraArgs"
>;

const ELSEWHERE = [
  { flag: "--cdp-endpoint", env: "PLAYWRIGHT_MCP_CDP_ENDPOINT", config: "browser.cdpEndpoint" },
  { flag: "--endpoint", env: "PLAYWRIGHT_MCP_ENDPOINT", config: "browser.remoteEndpoint" },
];
const ISOLATED = { flag: "--isolated", env: "PLAYWRIGHT_MCP_ISOLATED", config: "browser.isolated" };

/** One sentence that names everything that is in effect and does not go with the mode; none where it is off. */
export function extensionModeProblems(settings: ExtensionModeSettings, sources: UpstreamSources): string[] {
  if (!usesExtension(sources)) return [];
  const conflicts = [
    settings.cdpEnabled && "managed CDP",
    ...ELSEWHERE.map((names) => upstreamOption(sources, names)?.origin),
    isSwitchedOn(upstreamOption(sources, ISOLATED)?.value) && upstreamOption(sources, ISOLATED)?.origin,
    chooseProxy(sources, settings.extraArgs) !== undefined && "a proxy",
    settings.geoipProxyMatch && "--geoip-proxy-match",
    Object.keys(settings.contextOptions ?? {}).length > 0 && "context options",
    settings.extensionPaths.length > 0 && "--extension-paths",
  ].filter((conflict) => typeof conflict === "string");
  if (conflicts.length === 0) return [];
  return [
    `Cannot use Playwright's extension together with ${
      conflicts.join(", ")
    }: it attaches to a browser that runs ` +
    "already. Leave out one or the other",
  ];
}
