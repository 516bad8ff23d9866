/**
 * The launch that the doctor tries: the settings of a start, except for what would touch the user's files or
 * the network.
 */
import { join } from "node:path";
import { upstreamOption, type UpstreamOptionNames } from "../browser/upstream_option.ts";
import type { Settings, UpstreamArgument } from "../settings/settings.ts";
import type { Subject } from "./subject.ts";
import { type DoctorWorld, upstreamSources } from "./world.ts";

const ISOLATED: UpstreamOptionNames = {
  flag: "--isolated",
  env: "PLAYWRIGHT_MCP_ISOLATED",
  config: "browser.isolated",
};

/** Upstream loads a storage state into a context of its own only. */
const STORAGE_STATE: UpstreamOptionNames = {
  flag: "--storage-state",
  env: "PLAYWRIGHT_MCP_STORAGE_STATE",
  config: "browser.contextOptions.storageState",
};

/** The page that is opened lies on this machine, whatever an agent may open. */
const REPLACED: readonly string[] = [
  "--user-data-dir",
  "--output-dir",
  "--allowed-origins",
  "--blocked-origins",
];

export interface DeepConfiguration {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string>>;
}

/** @param directory goes away afterwards, with all that browser and upstream have put there */
export function deepConfiguration(
  world: DoctorWorld,
  subject: Subject,
  directory: string,
): DeepConfiguration {
  const { settings } = world.resolved;
  const sources = upstreamSources(world);
  const isolated = upstreamOption(sources, ISOLATED) !== undefined;
  const loadsState = upstreamOption(sources, STORAGE_STATE) !== undefined;
  const upstreamArgs: UpstreamArgument[] = [
    ...settings.upstreamArgs.filter(({ flag }) => !REPLACED.includes(flag)),
    { flag: "--output-dir", values: [join(directory, "output")] },
  ];
  if (!isolated) {
    upstreamArgs.push(
      loadsState
        ? { flag: "--isolated", values: [] }
        : { flag: "--user-data-dir", values: [join(directory, "profile")] },
    );
  }
  const common = { ...settings, ...QUIET, upstreamArgs };
  return {
    settings: { ...common, ...chosen(subject, upstreamArgs) },
    env: quietEnvironment(world, directory),
  };
}

/** The browser by its path, so that nobody looks for a newer one. */
function chosen(
  { source, executablePath }: Subject,
  upstreamArgs: readonly UpstreamArgument[],
): Partial<Settings> {
  if (executablePath === undefined) return {};
  if (source === "cloakbrowser") return { binaryPath: executablePath };
  if (source !== "installed_chrome") return {};
  // As the engine "auto" does after a download that failed.
  const executable = { flag: "--executable-path", values: [executablePath] };
  return { browserEngine: "playwright", upstreamArgs: [...upstreamArgs, executable] };
}

/** Nothing is looked up, downloaded or listened on. */
const QUIET = { autoUpdate: false, cdpEnabled: false } as const;

/** Both Playwright and Chromium note in the user's directories that they have run. */
function quietEnvironment({ env, os }: DoctorWorld, directory: string): Record<string, string> {
  if (os === "windows") return { ...env };
  const home = env["HOME"];
  const cache = env["XDG_CACHE_HOME"] || (home === undefined ? undefined : join(home, ".cache"));
  return {
    // Where Playwright keeps its own browsers does not move with the rest, nor where Deno has the modules of a
    // server that runs from source.
    ...(cache !== undefined && os === "linux" && {
      PLAYWRIGHT_BROWSERS_PATH: join(cache, "ms-playwright"),
      DENO_DIR: join(cache, "deno"),
    }),
    ...env,
    XDG_CACHE_HOME: join(directory, "cache"),
    XDG_CONFIG_HOME: join(directory, "config"),
  };
}
