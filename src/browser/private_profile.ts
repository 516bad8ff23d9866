/**
 * Where a session's browser keeps its profile: where the user says, or, over HTTP, in a directory that belongs to the
 * session and goes with it. That is real isolation without the traces of an incognito window.
 */
import { join } from "node:path";
import type { Settings } from "../settings/settings.ts";
import { upstreamChoice } from "./upstream_choice.ts";
import { type JsonObject, upstreamOption, type UpstreamOptionNames } from "./upstream_option.ts";

const USER_DATA_DIR: UpstreamOptionNames = {
  flag: "--user-data-dir",
  env: "PLAYWRIGHT_MCP_USER_DATA_DIR",
  config: "browser.userDataDir",
};

export const ISOLATED: UpstreamOptionNames = {
  flag: "--isolated",
  env: "PLAYWRIGHT_MCP_ISOLATED",
  config: "browser.isolated",
};

/** Whoever sets one of these has chosen where the profile is, or that there is none. */
const CHOOSING: readonly UpstreamOptionNames[] = [USER_DATA_DIR, ISOLATED];

/** Upstream loads a storage state into a context of its own only. */
const STORAGE_STATE: UpstreamOptionNames = {
  flag: "--storage-state",
  env: "PLAYWRIGHT_MCP_STORAGE_STATE",
  config: "browser.contextOptions.storageState",
};

/** The profile directory that the user has named, as written. */
export function keptProfile(
  settings: Settings,
  env: Readonly<Record<string, string>>,
  config: JsonObject,
): string | undefined {
  const sources = { upstreamArgs: settings.upstreamArgs, env, config };
  if (upstreamChoice(sources)?.kind === "attach") return undefined;
  const named = upstreamOption(sources, USER_DATA_DIR)?.value;
  return typeof named === "string" ? named : undefined;
}

/** @param directory the session's private directory */
export function withPrivateProfile(
  settings: Settings,
  env: Readonly<Record<string, string>>,
  config: JsonObject,
  directory: string,
): Settings {
  const sources = { upstreamArgs: settings.upstreamArgs, env, config };
  const attaches = upstreamChoice(sources)?.kind === "attach";
  if (attaches || CHOOSING.some((names) => upstreamOption(sources, names) !== undefined)) return settings;
  const profile = upstreamOption(sources, STORAGE_STATE) === undefined
    ? { flag: "--user-data-dir", values: [join(directory, "profile")] }
    : { flag: "--isolated", values: [] };
  return { ...settings, upstreamArgs: [...settings.upstreamArgs, profile] };
}
