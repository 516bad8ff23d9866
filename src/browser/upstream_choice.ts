import {
  isSwitchedOn,
  upstreamOption,
  type UpstreamOptionNames,
  type UpstreamSources,
} from "./upstream_option.ts";

/**
 * What the user chose through upstream's own options, so that no CloakBrowser is needed: a browser that runs
 * already, one that CloakBrowser cannot stand in for, or an executable.
 */
export interface UpstreamChoice {
  readonly kind: "attach" | "other_browser" | "executable";
  /** The option that says so, for logs and reports. */
  readonly origin: string;
  readonly executablePath: string | undefined;
}

const ATTACHING: readonly UpstreamOptionNames[] = [
  { flag: "--cdp-endpoint", env: "PLAYWRIGHT_MCP_CDP_ENDPOINT", config: "browser.cdpEndpoint" },
  { flag: "--endpoint", env: "PLAYWRIGHT_MCP_ENDPOINT", config: "browser.remoteEndpoint" },
];
const EXTENSION = { flag: "--extension", env: "PLAYWRIGHT_MCP_EXTENSION", config: "extension" };
const EXECUTABLE = {
  flag: "--executable-path",
  env: "PLAYWRIGHT_MCP_EXECUTABLE_PATH",
  config: "browser.launchOptions.executablePath",
};
const BROWSER = { flag: "--browser", env: "PLAYWRIGHT_MCP_BROWSER", config: "browser.browserName" };

/** Whether upstream connects through its browser extension; its token reaches the child only then. */
export function usesExtension(sources: UpstreamSources): boolean {
  return isSwitchedOn(upstreamOption(sources, EXTENSION)?.value);
}

/** The user's choice, or undefined where the browser is ours to choose. */
export function upstreamChoice(sources: UpstreamSources): UpstreamChoice | undefined {
  const executable = upstreamOption(sources, EXECUTABLE);
  const executablePath = typeof executable?.value === "string" ? executable.value : undefined;

  for (const names of ATTACHING) {
    const endpoint = upstreamOption(sources, names);
    if (endpoint !== undefined) return { kind: "attach", origin: endpoint.origin, executablePath: undefined };
  }
  if (usesExtension(sources)) {
    const origin = upstreamOption(sources, EXTENSION)?.origin ?? EXTENSION.flag;
    return { kind: "attach", origin, executablePath };
  }
  const browser = upstreamOption(sources, BROWSER);
  if (browser !== undefined && !isChromium(String(browser.value))) {
    return { kind: "other_browser", origin: `${browser.origin} "${browser.value}"`, executablePath };
  }
  if (executable !== undefined && executablePath !== undefined) {
    return { kind: "executable", origin: executable.origin, executablePath };
  }
  return undefined;
}

/** Upstream takes any name that it does not know for its default, which is a Chromium. */
function isChromium(browser: string): boolean {
  return !/^(moz-)?firefox|^webkit$/.test(browser);
}
