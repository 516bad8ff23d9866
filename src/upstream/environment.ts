/**
 * The environment of the upstream child: what a browser and upstream need, and nothing else. Chromium and every
 * page script that escapes into it inherit this environment.
 */

import { GENERATION_MARKER } from "./process.ts";

type Environment = Readonly<Record<string, string>>;

/** Where the embedded upstream puts temporary files; a replaced one has no use for it. */
export const PRIVATE_TMP = "CLOAKBROWSER_MCP_PRIVATE_TMP";

/** Names that are passed on as they are. */
const PASSED: ReadonlySet<string> = new Set([
  // Programs, home, language and time.
  ..."PATH HOME USER LOGNAME SHELL TERM TZ LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES LD_LIBRARY_PATH".split(
    " ",
  ),
  ..."TMPDIR TEMP TMP XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR".split(" "),
  // Windows does not start programs, and upstream does not find an installed browser, without these.
  ..."APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT Path PROGRAMDATA PROGRAMFILES".split(" "),
  ..."PROGRAMFILES(X86) SystemDrive SystemRoot USERPROFILE WINDIR".split(" "),
  // Display and fonts.
  ..."DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS FONTCONFIG_FILE FONTCONFIG_PATH".split(" "),
  // Network: proxies and certificates, for Deno as well as for Node.
  ..."ALL_PROXY HTTP_PROXY HTTPS_PROXY NO_PROXY all_proxy http_proxy https_proxy no_proxy".split(" "),
  ..."NODE_EXTRA_CA_CERTS SSL_CERT_DIR SSL_CERT_FILE DENO_CERT DENO_TLS_CA_STORE".split(" "),
  // A child that runs from source finds its packages there.
  "DENO_DIR",
  // Browsers.
  ..."CLOAKBROWSER_AUTO_UPDATE CLOAKBROWSER_CACHE_DIR CLOAKBROWSER_LICENSE_KEY".split(" "),
  ..."PLAYWRIGHT_BROWSERS_PATH PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD PLAYWRIGHT_DOWNLOAD_HOST".split(" "),
  ..."PLAYWRIGHT_CHROMIUM_DOWNLOAD_HOST PLAYWRIGHT_FIREFOX_DOWNLOAD_HOST".split(" "),
  "PLAYWRIGHT_WEBKIT_DOWNLOAD_HOST",
  // Diagnostics of Playwright.
  "DEBUG",
]);

const PASSED_PREFIXES = ["PLAYWRIGHT_MCP_", "CLOAK_PLAYWRIGHT_MCP_"];

/** Digested by us, or meant for a server that listens: the child serves its standard streams alone. */
const DROPPED: ReadonlySet<string> = new Set([
  "NODE_OPTIONS",
  "PLAYWRIGHT_MCP_CONFIG",
  "PLAYWRIGHT_MCP_PORT",
  "PLAYWRIGHT_MCP_HOST",
  "PLAYWRIGHT_MCP_ALLOWED_HOSTS",
]);

const EXTENSION_TOKEN = "PLAYWRIGHT_MCP_EXTENSION_TOKEN";
const UPSTREAM_CDP_PREFIX = "PLAYWRIGHT_MCP_CDP_";
const OWN_SECRET = /^CLOAK_PLAYWRIGHT_MCP_.*(TOKEN|PASSPHRASE|SECRET|PASSWORD|KEY)/;

export interface ChildEnvironmentOptions {
  /** Names that carry secrets, whatever prefix they have. */
  readonly secretNames: readonly string[];
  /** With managed CDP upstream's own CDP options would lead past the capability. */
  readonly managedCdp: boolean;
  /** Whether upstream uses its browser extension, which needs its token. */
  readonly extension: boolean;
  /** Marks the child and its browser; see {@link GENERATION_MARKER}. */
  readonly generation: string;
  /** Values that hold whatever the user's environment says; undefined takes the name out. */
  readonly forced: Readonly<Record<string, string | undefined>>;
  readonly os?: typeof Deno.build.os;
}

/** The child's whole environment. */
export function childEnvironment(env: Environment, options: ChildEnvironmentOptions): Record<string, string> {
  // Names have no case on Windows, so a secret in lower case is the same secret.
  const fold = (options.os ?? Deno.build.os) === "windows"
    ? (name: string): string => name.toUpperCase()
    : (name: string): string => name;
  const passed = new Set([...PASSED].map(fold));
  const removed = new Set([...DROPPED, ...options.secretNames, ...Object.keys(options.forced)].map(fold));
  if (!options.extension) removed.add(EXTENSION_TOKEN);

  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const folded = fold(name);
    if (removed.has(folded) || OWN_SECRET.test(folded)) continue;
    if (options.managedCdp && folded.startsWith(UPSTREAM_CDP_PREFIX)) continue;
    if (passed.has(folded) || PASSED_PREFIXES.some((prefix) => folded.startsWith(prefix))) {
      child[name] = value;
    }
  }
  for (const [name, value] of Object.entries(options.forced)) if (value !== undefined) child[name] = value;
  child[GENERATION_MARKER] = options.generation;
  return child;
}
