/**
 * How the upstream child is started: its arguments, its environment, and the configuration file that both name.
 */

import { homedir } from "node:os";
import { join } from "node:path";
import type { BrowserPlan } from "../browser/browser_plan.ts";
import {
  chooseProxy,
  PROXY_FLAGS,
  PROXY_VARIABLES,
  withoutProxyArguments,
} from "../browser/browser_proxy.ts";
import type { BrowserSettings, LaunchSettings } from "../browser/browser_settings.ts";
import { licenseKeyForBrowser } from "../browser/license_key.ts";
import { usesExtension } from "../browser/upstream_choice.ts";
import {
  type JsonObject,
  upstreamOption,
  type UpstreamSources,
  valueAt,
} from "../browser/upstream_option.ts";
import { AppError, messageOf } from "../errors.ts";
import type { SelfCommand } from "../platform/self_command.ts";
import type { Settings, UpstreamArgument } from "../settings/settings.ts";
import type { Logger } from "../telemetry/log.ts";
import { effectiveLaunchSettings, type LaunchOrigins, upstreamConfig, withoutServer } from "./config_file.ts";
import { type DownloadSettings, downloadWishes, withDownloadRule } from "./download_wishes.ts";
import { childEnvironment, PRIVATE_TMP } from "./environment.ts";
import { type PageFeatureSettings, wantedPageFeatures, writePageFeatures } from "./page_features.ts";
import type { UpstreamCommand } from "./process.ts";
import { readUserConfig } from "./user_config.ts";

export type CommandSettings =
  & LaunchSettings
  & Pick<BrowserSettings, "autoUpdate" | "cacheDir" | "licenseKey" | "upstreamArgs">
  & Pick<Settings, "upstreamConfigPath" | "upstreamCommand" | "initPages">
  & DownloadSettings
  & PageFeatureSettings;

export interface UpstreamCommandOptions {
  readonly settings: CommandSettings;
  /** Where `headless` and `sandbox` came from: their defaults yield to the user's configuration file. */
  readonly origins: LaunchOrigins;
  /** The environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly plan: BrowserPlan;
  /** Path of the directory that only this user can read; the configuration file goes there. */
  readonly privateDirectory: string;
  readonly self: SelfCommand;
  /** Marks the child and its browser in their environment. */
  readonly marker: string;
  readonly log: Pick<Logger, "warn" | "debug">;
  /** Names of environment variables that carry secrets of ours. */
  readonly secretNames?: readonly string[];
  readonly managedCdp?: boolean;
  /** Variables of the display for a browser that has a window; called for none else. */
  readonly display?: () => Promise<Readonly<Record<string, string | undefined>>>;
}

const CONFIG_FILE = "playwright-mcp.config.json";

/** These make upstream listen on a port instead of serving its standard streams. */
const SERVER_FLAGS: ReadonlySet<string> = new Set(["--port", "--host", "--allowed-hosts"]);

/**
 * The command line of the next child. Writes the configuration file anew each time.
 *
 * A replaced upstream (`upstreamCommand`) may be any MCP server, so it gets exactly the arguments the user gave
 * for it and learns the configuration file by `PLAYWRIGHT_MCP_CONFIG`.
 *
 * @throws {AppError} `usage` for a user configuration, init page or value that cannot be used, or when the private
 * directory cannot be written
 */
export async function buildUpstreamCommand(options: UpstreamCommandOptions): Promise<UpstreamCommand> {
  const { env, log, plan, privateDirectory, self } = options;
  const user = withoutServer(await readUserConfig(options.settings.upstreamConfigPath));
  if (user.dropped) {
    log.warn('"server" of the Playwright MCP configuration is ignored: upstream serves this program');
  }
  const given = effectiveLaunchSettings(options.settings, options.origins, user.config);
  const sources: UpstreamSources = { upstreamArgs: given.upstreamArgs, env, config: user.config };
  const proxy = chooseProxy(sources, given.extraArgs);
  const settings = proxy === undefined ? given : withoutProxyOptions(given);

  const initPages = await checkedInitPages(settings.initPages, user.config);
  const [command, ...args] = settings.upstreamCommand ?? [];
  const embedded = command === undefined;
  if (settings.humanize && !(embedded && plan.engine === "cloak")) {
    log.warn("humanized input has no effect: the browser is left to Playwright MCP");
  }
  const downloads = downloadWishes(settings, plan, sources, privateDirectory);
  const ownInitPage = embedded
    ? await writePageFeatures(privateDirectory, wantedPageFeatures(settings, plan, downloads))
    : undefined;
  const config = upstreamConfig({
    settings: { ...settings, contextOptions: withDownloadRule(settings) },
    plan,
    userConfig: user.config,
    initPages,
    ownInitPage,
    proxy,
    arrivals: downloads.arrivals,
  });
  const configPath = join(privateDirectory, CONFIG_FILE);
  await writePrivately(configPath, config);

  const childEnv = childEnvironment(env, {
    secretNames: options.secretNames ?? [],
    managedCdp: options.managedCdp ?? false,
    extension: usesExtension(sources),
    generation: options.marker,
    forced: {
      ...await forcedValues(settings, options, sources),
      // Upstream and the browser fail in strange ways without a home, as a user without an entry has none.
      ...(env["HOME"] || homedir() ? {} : { HOME: privateDirectory }),
      ...(embedded ? { [PRIVATE_TMP]: join(privateDirectory, "t") } : { PLAYWRIGHT_MCP_CONFIG: configPath }),
    },
  });
  if (!embedded) {
    const flags = settings.upstreamArgs.map((argument) => argument.flag);
    if (flags.length > 0) {
      log.warn("these options do not reach a replaced upstream", { flags: flags.join(" ") });
    }
    return { command, args, env: childEnv };
  }
  return {
    command: self.command,
    args: [...self.args, "upstream", "--config", configPath, ...forwardedFlags(settings.upstreamArgs, log)],
    env: childEnv,
  };
}

/** The proxy stands in the configuration file: a command line can be read by every user of the machine. */
function withoutProxyOptions(settings: CommandSettings): CommandSettings {
  return {
    ...settings,
    extraArgs: withoutProxyArguments(settings.extraArgs),
    upstreamArgs: settings.upstreamArgs.filter(({ flag }) => !PROXY_FLAGS.includes(flag)),
  };
}

/** What our flags and settings decide must hold in the child, where its environment would win over the file. */
async function forcedValues(
  settings: CommandSettings,
  options: UpstreamCommandOptions,
  sources: UpstreamSources,
): Promise<Record<string, string | undefined>> {
  const { plan, origins } = options;
  const launched = plan.attaches !== true;
  return {
    ...(launched && !settings.headless && settings.upstreamCommand === undefined
      ? await options.display?.()
      : {}),
    // Checked and in the file; upstream would let the variable replace the whole list.
    PLAYWRIGHT_MCP_INIT_PAGE: undefined,
    // In the file, which nobody else can read; the browser and whatever it starts would inherit the password.
    ...Object.fromEntries(PROXY_VARIABLES.map((name) => [name, undefined])),
    ...(launched || origins.headless.kind !== "default"
      ? { PLAYWRIGHT_MCP_HEADLESS: String(settings.headless) }
      : {}),
    ...(launched
      ? { PLAYWRIGHT_MCP_SANDBOX: settings.sandbox === undefined ? undefined : String(settings.sandbox) }
      : {}),
    ...(playwrightChooses(plan, sources) ? { PLAYWRIGHT_MCP_BROWSER: "chromium" } : {}),
    CLOAKBROWSER_AUTO_UPDATE: String(settings.autoUpdate),
    ...(settings.cacheDir === undefined ? {} : { CLOAKBROWSER_CACHE_DIR: settings.cacheDir }),
    // The browser itself reads the key; any other browser has no business with it.
    CLOAKBROWSER_LICENSE_KEY: plan.engine === "cloak" ? await licenseKeyForBrowser(settings) : undefined,
  };
}

/** Upstream's own default is an installed Chrome; ours is the Chromium that Playwright brings. */
function playwrightChooses(plan: BrowserPlan, sources: UpstreamSources): boolean {
  if (plan.engine !== "playwright" || plan.executablePath !== undefined || plan.attaches === true) {
    return false;
  }
  const named = upstreamOption(sources, {
    flag: "--browser",
    env: "PLAYWRIGHT_MCP_BROWSER",
    config: "browser.browserName",
  });
  return named === undefined && valueAt(sources.config, "browser.launchOptions.channel") === undefined &&
    upstreamOption(sources, { flag: "--executable-path", env: "PLAYWRIGHT_MCP_EXECUTABLE_PATH" }) ===
      undefined;
}

/** Ours replace those of the configuration file, as upstream's flag would. */
async function checkedInitPages(ours: readonly string[], userConfig: JsonObject): Promise<readonly string[]> {
  const theirs = valueAt(userConfig, "browser.initPage");
  const paths = ours.length > 0 ? ours : Array.isArray(theirs) ? theirs.map(String) : [];
  if (paths.length === 0) return [];
  const { prepareInitPages } = await import("./init_page.ts");
  return await prepareInitPages(paths);
}

async function writePrivately(path: string, config: JsonObject): Promise<void> {
  try {
    await Deno.writeTextFile(path, JSON.stringify(config, undefined, 2) + "\n", { mode: 0o600 });
  } catch (cause) {
    throw new AppError("usage", `Cannot write "${path}": ${messageOf(cause)}`, {
      remedy: "Set TMPDIR (on Windows TEMP) to a directory that can be written",
      cause,
    });
  }
}

/** `--flag=value`, so that a value may begin with a dash; upstream adds up a repeated flag that takes several. */
function forwardedFlags(upstreamArgs: readonly UpstreamArgument[], log: Pick<Logger, "warn">): string[] {
  return upstreamArgs.flatMap(({ flag, values }) => {
    if (SERVER_FLAGS.has(flag)) {
      log.warn("ignored an option of upstream's own HTTP server", { flag });
      return [];
    }
    return values.length === 0 ? [flag] : values.map((value) => `${flag}=${value}`);
  });
}
