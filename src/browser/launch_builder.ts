/**
 * CloakBrowser's own launch builder: what it adds to a launch for the proxy, the place where that comes out, extensions
 * and the window. Only the arguments that are known here are taken from it; everything else is ours to say.
 */

import type { Logger } from "../telemetry/log.ts";
import { argumentKey } from "./browser_arguments.ts";
import { type BrowserProxy, chromiumScheme, isAuthenticatedSocks } from "./browser_proxy.ts";
import type { BuiltLaunch } from "./browser_plan.ts";
import { loadCloakBrowser, type PackageSettings } from "./cloakbrowser_package.ts";
import { captureConsole } from "./console_capture.ts";
import { withoutCredentials } from "./credentials.ts";

export interface LaunchRequest {
  readonly headless: boolean;
  /** All arguments that are decided already; what stands here is not asked for again. */
  readonly args: readonly string[];
  readonly proxy: BrowserProxy | undefined;
  /** The proxy to find out through where it comes out; undefined where nobody wants to know. */
  readonly lookThrough?: BrowserProxy;
  readonly extensionPaths: readonly string[];
  /** Whether something else decides the size of pages. */
  readonly fixedViewport: boolean;
  /** Version of the executable; undefined where nobody knows. */
  readonly version: string | undefined;
}

export type BuildLaunch = (request: LaunchRequest) => Promise<BuiltLaunch>;

const WINDOW = ["--start-maximized"];
const PLACE = ["--fingerprint-timezone", "--fingerprint-webrtc-ip", "--lang", "--fingerprint-locale"];
const EXTENSIONS = ["--load-extension", "--disable-extensions-except"];
const PROXY = ["--proxy-server", "--proxy-bypass-list"];

/** The variable by which the package is told that there is nothing to download. */
const BINARY = "CLOAKBROWSER_BINARY_PATH";

export function createLaunchBuilder(settings: PackageSettings, log: Logger): BuildLaunch {
  return async ({ headless, args, proxy, lookThrough, extensionPaths, fixedViewport, version }) => {
    const holdsProxy = proxy !== undefined && isAuthenticatedSocks(proxy);
    const geoip = lookThrough !== undefined;
    const window = !fixedViewport && version !== undefined;
    // The package takes a while to load.
    if (!window && !geoip && !holdsProxy && extensionPaths.length === 0) return { args: [], holdsProxy };
    const told = lookThrough ?? proxy;
    const cloakbrowser = await loadCloakBrowser(settings);
    const options: Parameters<typeof cloakbrowser.launchContext>[0] = {
      headless,
      stealthArgs: false,
      args: [...args],
      geoip,
      extensionPaths: [...extensionPaths],
      releaseChannel: settings.releaseChannel,
      ...(told === undefined ? {} : { proxy: { ...told } }),
      ...(settings.licenseKey === undefined ? {} : { licenseKey: settings.licenseKey }),
      ...(version === undefined ? {} : { browserVersion: version }),
      // A window that is maximized goes wrong in older browsers, so one of unknown age gets none.
      ...(window ? {} : { viewport: null }),
    };
    if (geoip) await loadPeers();
    using _ = captureConsole((text) => log.debug(withoutCredentials(text)));
    const built = await withVariable(
      BINARY,
      "of no interest",
      () => cloakbrowser.buildLaunchOptions(options),
    );
    const taken = [...WINDOW, ...PLACE, ...EXTENSIONS, ...(holdsProxy ? PROXY : [])];
    const given: unknown = built["args"];
    if (!Array.isArray(given)) throw new Error("CloakBrowser's launch builder gave no arguments");
    return {
      args: given.map(String).filter((argument) =>
        taken.includes(argumentKey(argument)) && !args.includes(argument)
      )
        .map((argument) => argument.startsWith("--proxy-server=") ? proxyArgument(argument) : argument),
      holdsProxy,
    };
  };
}

/** CloakBrowser looks places up with these where they are there; being named here puts them into the executable. */
async function loadPeers(): Promise<void> {
  await Promise.all([import("mmdb-lib"), import("socks-proxy-agent")]);
}

function proxyArgument(argument: string): string {
  const value = argument.slice(argument.indexOf("=") + 1);
  return `--proxy-server=${chromiumScheme(value)}`;
}

/** Only while the function runs, not while its promise is pending: sessions share the environment. */
function withVariable<T>(name: string, value: string, run: () => T): T {
  const before = Deno.env.get(name);
  Deno.env.set(name, value);
  try {
    return run();
  } finally {
    if (before === undefined) Deno.env.delete(name);
    else Deno.env.set(name, before);
  }
}
