/** Options of upstream that exclude each other: it would end, or forget one of them, only at the first call. */

import { AppError } from "../errors.ts";
import type { Settings } from "../settings/settings.ts";
import { chooseProxy } from "./browser_proxy.ts";
import { extensionModeProblems, type ExtensionModeSettings } from "./extension_mode.ts";
import { upstreamChoice } from "./upstream_choice.ts";
import {
  isSwitchedOn,
  upstreamOption,
  type UpstreamOptionNames,
  type UpstreamSources,
} from "./upstream_option.ts";

const ISOLATED = { flag: "--isolated", env: "PLAYWRIGHT_MCP_ISOLATED", config: "browser.isolated" };
const PROFILE = {
  flag: "--user-data-dir",
  env: "PLAYWRIGHT_MCP_USER_DATA_DIR",
  config: "browser.userDataDir",
};
const DEVICE = { flag: "--device", env: "PLAYWRIGHT_MCP_DEVICE" };
const MOBILE = { flag: "--mobile", env: "PLAYWRIGHT_MCP_MOBILE" };
const RUNNING = { flag: "--cdp-endpoint", env: "PLAYWRIGHT_MCP_CDP_ENDPOINT" };

const PAIRS: readonly (readonly [one: UpstreamOptionNames, other: UpstreamOptionNames, why: string])[] = [
  [ISOLATED, PROFILE, "an isolated browser keeps its profile in memory"],
  [MOBILE, DEVICE, "each of them names a device"],
  [DEVICE, RUNNING, "a browser that runs already emulates no device"],
];

export type ConflictSettings = ExtensionModeSettings & Pick<Settings, "downloads" | "downloadMaxBytes">;

/** @throws {AppError} `usage`, with one line for each conflict, or for a proxy whose address cannot be used */
export function checkLaunchConflicts(settings: ConflictSettings, sources: UpstreamSources): void {
  chooseProxy(sources, settings.extraArgs);
  const problems = [...extensionModeProblems(settings, sources), ...downloadProblems(settings, sources)];
  for (const [one, other, why] of PAIRS) {
    const [first, second] = [inEffect(sources, one), inEffect(sources, other)];
    if (first === undefined || second === undefined) continue;
    problems.push(`Cannot use ${first} together with ${second}: ${why}. Leave one of them out`);
  }
  if (problems.length > 0) throw new AppError("usage", problems.join("\n"));
}

/** Playwright tells a browser that runs already nothing of downloads, unless it opens a context of its own in it. */
function downloadProblems(
  { downloads, downloadMaxBytes }: ConflictSettings,
  sources: UpstreamSources,
): string[] {
  const choice = upstreamChoice(sources);
  const rules = [
    ...(downloads === "deny" ? ["--downloads deny"] : []),
    ...(downloadMaxBytes === undefined ? [] : ["--download-max-bytes"]),
  ];
  if (choice?.kind !== "attach" || rules.length === 0 || inEffect(sources, ISOLATED) !== undefined) return [];
  return [
    `Cannot use ${
      rules.join(", ")
    } together with ${choice.origin}: a browser that runs already keeps its own rules ` +
    "for downloads. Leave out one or the other, or add --isolated",
  ];
}

/** Name of the option where it is set and not switched off. */
function inEffect(sources: UpstreamSources, names: UpstreamOptionNames): string | undefined {
  const given = upstreamOption(sources, names);
  if (given === undefined || given.value === "") return undefined;
  const isSwitch = names === ISOLATED || names === MOBILE;
  return isSwitch && !isSwitchedOn(given.value) ? undefined : given.origin;
}
