/**
 * Every flag of the `@playwright/mcp` command line, so that ours accepts them all and nothing else. A test compares
 * this table with the program that the pinned version builds.
 */

import type { SettingKey } from "./option_table.ts";

export interface UpstreamFlag {
  /** Long flag as upstream declares it. */
  readonly flag: string;
  /** A switch takes no value; a variadic flag takes one or more. */
  readonly arity: "switch" | "value" | "variadic";
  readonly valueName?: string;
  readonly env?: string;
  /** Upstream's documents name the variable but its code does not read it, so we turn it into the flag. */
  readonly envUnread?: true;
  /** Values that upstream accepts; it ends at start with any other. */
  readonly choices?: readonly string[];
  /** Form of the value where upstream would fail at start, or carry on with NaN. */
  readonly form?: "number" | "size" | "proxy" | "device" | "name" | "header";
  /** The value names a file or directory; `readable` ones are checked before upstream starts. */
  readonly path?: "any" | "readable";
  /** What joins the items of one value, where the settings file may give an array. */
  readonly separator?: "," | ";";
  /** May carry credentials, so it is never printed. */
  readonly secret?: true;
  /** Kept by upstream for old command lines only. */
  readonly hidden?: true;
  /** The setting of ours that means the same; the flag is declared with that option then. */
  readonly ours?: SettingKey;
  /** Asks upstream's own HTTP server, which never runs in our child, for something that ours does not do. */
  readonly refused?: true;
  /** Whether a client may also set it for its session. */
  readonly scope?: "session";
  /** Name of that field, where it is not the flag's. */
  readonly sessionField?: string;
  /** Flags that have no effect in a session that sets this one. */
  readonly overrides?: readonly string[];
  /** One or two sentences without a final period. */
  readonly help: string;
}

export const UPSTREAM_FLAGS: readonly UpstreamFlag[] = [
  {
    flag: "--allowed-hosts",
    arity: "variadic",
    valueName: "hosts",
    env: "PLAYWRIGHT_MCP_ALLOWED_HOSTS",
    ours: "allowedHosts",
    help: "Host names that the server answers to",
  },
  {
    flag: "--allowed-origins",
    arity: "value",
    valueName: "origins",
    env: "PLAYWRIGHT_MCP_ALLOWED_ORIGINS",
    separator: ";",
    help:
      "Origins that pages may request, separated by semicolons; all when not given. No security boundary: " +
      "redirects pass",
  },
  {
    flag: "--allow-unrestricted-file-access",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_ALLOW_UNRESTRICTED_FILE_ACCESS",
    help: "Let tools read and write files outside the workspace roots and open file:// addresses",
  },
  {
    flag: "--blocked-origins",
    arity: "value",
    valueName: "origins",
    env: "PLAYWRIGHT_MCP_BLOCKED_ORIGINS",
    separator: ";",
    help:
      "Origins that pages may not request, separated by semicolons; wins over --allowed-origins. No security " +
      "boundary: redirects pass",
  },
  {
    flag: "--block-service-workers",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_BLOCK_SERVICE_WORKERS",
    help: "Keep pages from registering service workers",
  },
  {
    flag: "--browser",
    arity: "value",
    valueName: "browser",
    env: "PLAYWRIGHT_MCP_BROWSER",
    help: "Browser or channel for --browser-engine playwright: chrome, firefox, webkit, msedge, chromium",
  },
  {
    flag: "--caps",
    arity: "value",
    valueName: "caps",
    env: "PLAYWRIGHT_MCP_CAPS",
    separator: ",",
    help: "Further groups of tools, separated by commas: vision, pdf, devtools",
  },
  {
    flag: "--cdp-endpoint",
    arity: "value",
    valueName: "endpoint",
    env: "PLAYWRIGHT_MCP_CDP_ENDPOINT",
    secret: true,
    help: "Connect to a running browser at this DevTools address instead of starting one",
  },
  {
    flag: "--cdp-header",
    arity: "variadic",
    valueName: "headers",
    env: "PLAYWRIGHT_MCP_CDP_HEADERS",
    secret: true,
    help: 'Headers for the connection to --cdp-endpoint, each as "Name: value"',
  },
  {
    flag: "--cdp-timeout",
    arity: "value",
    valueName: "ms",
    env: "PLAYWRIGHT_MCP_CDP_TIMEOUT",
    form: "number",
    help: "How long connecting to --cdp-endpoint may take; 30000 when not given, 0 for no bound",
  },
  {
    flag: "--codegen",
    arity: "value",
    valueName: "lang",
    env: "PLAYWRIGHT_MCP_CODEGEN",
    choices: ["none", "typescript", "python", "java", "csharp"],
    scope: "session",
    help: "Language of the code that results carry; typescript when not given",
  },
  {
    flag: "--config",
    arity: "value",
    valueName: "path",
    env: "PLAYWRIGHT_MCP_CONFIG",
    ours: "upstreamConfigPath",
    help: "Configuration file of Playwright MCP",
  },
  {
    flag: "--console-level",
    arity: "value",
    valueName: "level",
    env: "PLAYWRIGHT_MCP_CONSOLE_LEVEL",
    choices: ["error", "warning", "info", "debug"],
    scope: "session",
    help: "Least severe console messages of the page that are returned",
  },
  {
    flag: "--device",
    arity: "value",
    valueName: "device",
    env: "PLAYWRIGHT_MCP_DEVICE",
    form: "device",
    scope: "session",
    overrides: ["--mobile"],
    help: 'Device to emulate, for example "iPhone 15"',
  },
  {
    flag: "--mobile",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_MOBILE",
    help: "Emulate a common phone: smaller pages, fewer tokens; not together with --device",
  },
  {
    flag: "--executable-path",
    arity: "value",
    valueName: "path",
    env: "PLAYWRIGHT_MCP_EXECUTABLE_PATH",
    path: "any",
    help: "Browser executable that Playwright starts; --binary-path is the way to name a CloakBrowser",
  },
  {
    flag: "--extension",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_EXTENSION",
    scope: "session",
    sessionField: "extensionMode",
    help: "Attach to a running Chrome or Edge through the Playwright browser extension",
  },
  {
    flag: "--endpoint",
    arity: "value",
    valueName: "endpoint",
    env: "PLAYWRIGHT_MCP_ENDPOINT",
    envUnread: true,
    secret: true,
    help: "Connect to a browser that Playwright serves at this endpoint",
  },
  {
    flag: "--file-paths",
    arity: "value",
    valueName: "mode",
    env: "PLAYWRIGHT_MCP_FILE_PATHS",
    choices: ["relative", "absolute"],
    help: "How results write the paths of files; relative to the workspace root when not given",
  },
  {
    flag: "--grant-permissions",
    arity: "variadic",
    valueName: "permissions",
    env: "PLAYWRIGHT_MCP_GRANT_PERMISSIONS",
    separator: ",",
    help: "Permissions that pages have, separated by commas, for example geolocation,clipboard-read",
  },
  {
    flag: "--headless",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_HEADLESS",
    ours: "headless",
    help: "Run the browser without a window",
  },
  {
    flag: "--host",
    arity: "value",
    valueName: "host",
    env: "PLAYWRIGHT_MCP_HOST",
    ours: "httpHost",
    help: "Address that the server binds to",
  },
  {
    flag: "--idle-timeout",
    arity: "value",
    valueName: "ms",
    env: "PLAYWRIGHT_MCP_IDLE_TIMEOUT",
    form: "number",
    help:
      "Close the browser after this long without a finished tool call, until the next call; one hour for " +
      "headless browsers when not given, 0 for never",
  },
  {
    flag: "--ignore-https-errors",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_IGNORE_HTTPS_ERRORS",
    help: "Open pages whose certificate is not valid",
  },
  {
    flag: "--init-page",
    arity: "variadic",
    valueName: "path",
    env: "PLAYWRIGHT_MCP_INIT_PAGE",
    ours: "initPages",
    help: "Modules that are called with every new Playwright page",
  },
  {
    flag: "--init-script",
    arity: "variadic",
    valueName: "path",
    env: "PLAYWRIGHT_MCP_INIT_SCRIPT",
    path: "readable",
    help: "JavaScript files that run in every page before its own scripts",
  },
  {
    flag: "--isolated",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_ISOLATED",
    help: "Keep the browser profile in memory and forget it at the end",
  },
  {
    flag: "--image-responses",
    arity: "value",
    valueName: "mode",
    env: "PLAYWRIGHT_MCP_IMAGE_RESPONSES",
    choices: ["allow", "omit", "only"],
    help: "Whether results carry images: beside the text, not at all, or instead of it",
  },
  {
    flag: "--no-sandbox",
    arity: "switch",
    ours: "sandbox",
    help: "Do not use Chromium's process sandbox",
  },
  {
    flag: "--no-webmcp",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_WEBMCP",
    help: "Do not offer the tools that pages register through WebMCP",
  },
  {
    flag: "--output-dir",
    arity: "value",
    valueName: "path",
    env: "PLAYWRIGHT_MCP_OUTPUT_DIR",
    path: "any",
    help: "Directory for files that get their name automatically, such as screenshots without one; " +
      ".playwright-mcp in the workspace when not given",
  },
  {
    flag: "--output-max-size",
    arity: "value",
    valueName: "bytes",
    env: "PLAYWRIGHT_MCP_OUTPUT_MAX_SIZE",
    form: "number",
    help: "Size of the output directory above which its oldest files are removed",
  },
  {
    flag: "--port",
    arity: "value",
    valueName: "port",
    env: "PLAYWRIGHT_MCP_PORT",
    ours: "httpPort",
    help: "Serve over HTTP on this port",
  },
  {
    flag: "--profile-dir-name",
    arity: "value",
    valueName: "name",
    env: "PLAYWRIGHT_MCP_PROFILE_DIR_NAME",
    form: "name",
    scope: "session",
    help: 'Profile inside the user data directory for --extension, for example "Profile 1"',
  },
  {
    flag: "--proxy-bypass",
    arity: "value",
    valueName: "bypass",
    env: "PLAYWRIGHT_MCP_PROXY_BYPASS",
    separator: ",",
    scope: "session",
    help: "Domains that are reached without the proxy, separated by commas",
  },
  {
    flag: "--proxy-server",
    arity: "value",
    valueName: "proxy",
    env: "PLAYWRIGHT_MCP_PROXY_SERVER",
    form: "proxy",
    secret: true,
    scope: "session",
    overrides: ["--proxy-bypass"],
    help: 'Proxy of the browser, for example "http://proxy.example:3128" or "socks5://proxy.example:1080"',
  },
  {
    flag: "--remote-header",
    arity: "variadic",
    valueName: "headers",
    env: "PLAYWRIGHT_MCP_REMOTE_HEADERS",
    secret: true,
    hidden: true,
    help: 'Headers for the connection to --endpoint, each as "Name: value"',
  },
  {
    flag: "--sandbox",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_SANDBOX",
    ours: "sandbox",
    help: "Use Chromium's process sandbox",
  },
  {
    flag: "--save-session",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_SAVE_SESSION",
    envUnread: true,
    help: "Record the session in the output directory",
  },
  {
    flag: "--secrets",
    arity: "value",
    valueName: "path",
    env: "PLAYWRIGHT_MCP_SECRETS_FILE",
    path: "readable",
    help: "Dotenv file of secrets that tools may type by name and that results do not show",
  },
  {
    flag: "--shared-browser-context",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_SHARED_BROWSER_CONTEXT",
    envUnread: true,
    refused: true,
    help: "One browser context for all clients of upstream's HTTP server",
  },
  {
    flag: "--snapshot-boxes",
    arity: "switch",
    env: "PLAYWRIGHT_MCP_SNAPSHOT_BOXES",
    envUnread: true,
    help: "Put the position and size of each element into snapshots, in CSS pixels of the viewport",
  },
  {
    flag: "--snapshot-mode",
    arity: "value",
    valueName: "mode",
    env: "PLAYWRIGHT_MCP_SNAPSHOT_MODE",
    envUnread: true,
    scope: "session",
    help: "Whether results carry a snapshot of the page: full (when not given) or none",
  },
  {
    flag: "--storage-state",
    arity: "value",
    valueName: "path",
    env: "PLAYWRIGHT_MCP_STORAGE_STATE",
    path: "readable",
    help: "Cookies and storage that isolated sessions start with",
  },
  {
    flag: "--test-id-attribute",
    arity: "value",
    valueName: "attribute",
    env: "PLAYWRIGHT_MCP_TEST_ID_ATTRIBUTE",
    scope: "session",
    help: "Attribute that holds test ids; data-testid when not given",
  },
  {
    flag: "--timeout-action",
    arity: "value",
    valueName: "ms",
    env: "PLAYWRIGHT_MCP_TIMEOUT_ACTION",
    form: "number",
    scope: "session",
    help: "How long one action on a page may take; 5000 when not given",
  },
  {
    flag: "--timeout-navigation",
    arity: "value",
    valueName: "ms",
    env: "PLAYWRIGHT_MCP_TIMEOUT_NAVIGATION",
    form: "number",
    scope: "session",
    help: "How long one navigation may take; 60000 when not given",
  },
  {
    flag: "--timeout-settle",
    arity: "value",
    valueName: "ms",
    env: "PLAYWRIGHT_MCP_TIMEOUT_SETTLE",
    form: "number",
    scope: "session",
    help: "How long after an action the page may settle; 500 when not given",
  },
  {
    flag: "--user-agent",
    arity: "value",
    form: "header",
    valueName: "text",
    env: "PLAYWRIGHT_MCP_USER_AGENT",
    scope: "session",
    help: "User agent that the browser sends",
  },
  {
    flag: "--user-data-dir",
    arity: "value",
    valueName: "path",
    env: "PLAYWRIGHT_MCP_USER_DATA_DIR",
    path: "any",
    scope: "session",
    overrides: ["--isolated"],
    help: "Profile directory that is kept; one of upstream's own for the workspace when not given",
  },
  {
    flag: "--viewport-size",
    arity: "value",
    valueName: "size",
    env: "PLAYWRIGHT_MCP_VIEWPORT_SIZE",
    form: "size",
    scope: "session",
    help: 'Size of the page in pixels, for example "1280x720"',
  },
  {
    flag: "--vision",
    arity: "switch",
    hidden: true,
    help: "Old form of --caps vision",
  },
];

/** The flags that only upstream understands: those our parser declares from this table. */
export function forwardedFlags(): readonly UpstreamFlag[] {
  return UPSTREAM_FLAGS.filter((row) => row.ours === undefined && row.refused === undefined);
}

/** The row of a flag, written as on the command line. */
export function upstreamFlag(flag: string): UpstreamFlag | undefined {
  return UPSTREAM_FLAGS.find((row) => row.flag === flag);
}
