/**
 * The configuration file that the upstream child gets: ours under the user's, so that whatever the user wrote
 * down holds.
 *
 * Upstream itself lets its environment win over the file and its flags over both. What a user sets there is passed
 * on unchanged and needs no place here.
 */

import { mergeBrowserArguments } from "../browser/browser_arguments.ts";
import { chromiumScheme, type ProxyChoice, withoutProxyArguments } from "../browser/browser_proxy.ts";
import type { BrowserPlan } from "../browser/browser_plan.ts";
import type { LaunchSettings } from "../browser/browser_settings.ts";
import { launchOptions } from "../browser/launch_options.ts";
import { isJsonObject, type JsonObject, valueAt } from "../browser/upstream_option.ts";

/** Where a setting came from; only whether it is the default matters here. */
export type LaunchOrigins = Readonly<Record<"headless" | "sandbox", { readonly kind: string }>>;

/**
 * The launch settings in effect. `headless` and `sandbox` are ours as well as the user configuration's: what was
 * asked for by flag, environment or settings file wins, our defaults do not.
 */
export function effectiveLaunchSettings<S extends LaunchSettings>(
  settings: S,
  origins: LaunchOrigins,
  userConfig: JsonObject,
): S {
  const headless = valueAt(userConfig, "browser.launchOptions.headless");
  const sandbox = valueAt(userConfig, "browser.launchOptions.chromiumSandbox");
  return {
    ...settings,
    ...(origins.headless.kind === "default" && typeof headless === "boolean" ? { headless } : {}),
    ...(origins.sandbox.kind === "default" && typeof sandbox === "boolean" ? { sandbox } : {}),
  };
}

export interface ConfigParts {
  /** As {@link effectiveLaunchSettings} gives them. */
  readonly settings: LaunchSettings;
  readonly plan: BrowserPlan;
  readonly userConfig: JsonObject;
  /** Modules that replace those of the user's configuration; none leaves them. */
  readonly initPages: readonly string[];
  /** Loaded after those of the user. */
  readonly ownInitPage?: string | undefined;
  /** Replaces that of the user's configuration. */
  readonly proxy?: ProxyChoice | undefined;
  /** Where the browser writes downloads that are on their way, unless the user's configuration says it. */
  readonly arrivals?: string | undefined;
}

/** The content of the file. */
export function upstreamConfig(parts: ConfigParts): JsonObject {
  const { settings, plan, initPages, ownInitPage, proxy, arrivals } = parts;
  const userConfig = proxy === undefined ? parts.userConfig : withoutProxy(parts.userConfig, proxy);
  const pages = [...initPages, ...(ownInitPage === undefined ? [] : [ownInitPage])];
  const config = [
    userConfig,
    ...(plan.attaches ? [] : [decidedLaunch(settings)]),
    ...(pages.length === 0 ? [] : [{ browser: { initPage: pages } }]),
  ].reduce((under, over) => mergeConfig(under, over), generatedConfig(settings, plan, arrivals));
  const shaped = withContextOptions(config, settings.contextOptions);
  return proxy === undefined || plan.built?.holdsProxy ? shaped : withProxy(shaped, proxy);
}

/** Member by member over the user's configuration, null too: a viewport that is null follows the window. */
function withContextOptions(config: JsonObject, options: LaunchSettings["contextOptions"]): JsonObject {
  if (options === undefined) return config;
  const browser = objectAt(config, "browser");
  const contextOptions = { ...objectAt(browser, "contextOptions"), ...options };
  return { ...config, browser: { ...browser, contextOptions } };
}

/** Parts of two proxies would make a third, so nothing of the user's configuration stays. */
function withoutProxy(config: JsonObject, { source }: ProxyChoice): JsonObject {
  const browser = objectAt(config, "browser");
  const { proxy: _replaced, ...launch } = objectAt(browser, "launchOptions");
  const { proxy: ofContexts, ...context } = objectAt(browser, "contextOptions");
  const { args } = launch;
  return {
    ...config,
    browser: {
      ...browser,
      launchOptions: { ...launch, ...(isTextList(args) ? { args: withoutProxyArguments(args) } : {}) },
      contextOptions: { ...context, ...(source === "config" && ofContexts ? { proxy: ofContexts } : {}) },
    },
  };
}

/** Where upstream's own option would put it. */
function withProxy(config: JsonObject, { proxy, source }: ProxyChoice): JsonObject {
  const browser = objectAt(config, "browser");
  const known = { ...proxy, server: chromiumScheme(proxy.server) };
  const launchOptions = { ...objectAt(browser, "launchOptions"), proxy: known };
  const contextOptions = objectAt(browser, "contextOptions");
  return {
    ...config,
    browser: {
      ...browser,
      launchOptions,
      contextOptions: source === "config" ? contextOptions : { ...contextOptions, proxy: known },
    },
  };
}

function objectAt(config: JsonObject, name: string): JsonObject {
  const value = config[name];
  return isJsonObject(value) ? value : {};
}

/**
 * What we would write without a user: the launch options, and the browser's name where we name the executable.
 * A browser that is only attached to is not launched, so it gets none of them.
 */
function generatedConfig(settings: LaunchSettings, plan: BrowserPlan, arrivals?: string): JsonObject {
  if (plan.attaches) return { browser: {} };
  return {
    browser: {
      ...(plan.executablePath === undefined ? {} : { browserName: "chromium" }),
      launchOptions: {
        ...launchOptions(settings, plan),
        ...(arrivals === undefined ? {} : { downloadsPath: arrivals }),
      },
    },
  };
}

function decidedLaunch({ headless, sandbox }: LaunchSettings): JsonObject {
  return { browser: { launchOptions: { headless, chromiumSandbox: sandbox } } };
}

/**
 * Lays `over` on `under`, object by object; lists and plain values are replaced, browser arguments are joined by
 * key. Undefined and null in `over` leave what is there.
 */
function mergeConfig(under: JsonObject, over: JsonObject, path = ""): JsonObject {
  const merged: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    if (value === undefined || value === null) continue;
    const place = path === "" ? name : `${path}.${name}`;
    const below = merged[name];
    if (place === "browser.launchOptions.args" && isTextList(below) && isTextList(value)) {
      merged[name] = mergeBrowserArguments(below, value);
    } else if (isJsonObject(below) && isJsonObject(value)) {
      merged[name] = mergeConfig(below, value, place);
    } else {
      merged[name] = value;
    }
  }
  return merged;
}

/** The user's configuration without its `server` part: the child speaks over its standard streams. */
export function withoutServer(
  config: JsonObject,
): { readonly config: JsonObject; readonly dropped: boolean } {
  const { server, ...rest } = config;
  return { config: rest, dropped: server !== undefined };
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
