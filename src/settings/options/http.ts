import { parseAuthority } from "../../protocol/authority.ts";
import { parseIpRange } from "../../protocol/ip_range.ts";
import type { OptionTable } from "../option.ts";
import { rateProblem } from "../rate.ts";

/** Timers hold their delay in a signed 32-bit number; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * What the MCP SDK's own HTTP transport takes, so that no client meets a tighter bound here than elsewhere. It bounds
 * what one request makes the server hold, not what a tool may return.
 */
const DEFAULT_BODY_BYTES = 4 * 1024 * 1024;
const SMALLEST_BODY_BYTES = 1024;
/** V8 cannot hold a longer string, so no longer body could be parsed. */
const LONGEST_V8_STRING = 536_870_888;

/** Proxies and load balancers cut quiet connections after 30 s or more; half of that is safe for all of them. */
const DEFAULT_KEEPALIVE_MS = 15_000;

/** Each session can hold a child of about 100 MB and a browser, so even a large machine ends far below this. */
const MOST_SESSIONS = 100_000;

/** Each spare is a process that waits. */
const MOST_SPARES = 64;

/** Paths that the server answers itself, below the base path. */
export const PROBE_PATHS = ["/healthz", "/readyz", "/metrics"] as const;

/** Stands for a client that came over the unix socket, where proxies are trusted by address. */
export const UNIX_PEER = "unix";

/** Stands for every host name: switches the check of `Host` off. */
export const ANY_HOST = "*";

/** How the HTTP server listens, whom it answers and what it bounds. */
export const HTTP_OPTIONS = {
  httpHost: {
    type: "text",
    default: "127.0.0.1",
    validate: hostProblem,
    flag: "--http-host",
    aliases: ["--host"],
    valueName: "host",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_HOST", { name: "PLAYWRIGHT_MCP_HOST", emptyIsUnset: true }],
    scope: "process",
    group: "http",
    help: "Address to listen on; one that other machines reach needs a token or --allow-insecure-bind",
  },
  httpPort: {
    type: "integer",
    default: 3000,
    min: 0,
    max: 65_535,
    flag: "--http-port",
    aliases: ["--port"],
    valueName: "port",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_PORT", { name: "PLAYWRIGHT_MCP_PORT", emptyIsUnset: true }],
    scope: "process",
    group: "http",
    help:
      "Port to listen on, 0 for any free one; --port and PLAYWRIGHT_MCP_PORT also mean --transport streamable-http",
  },
  httpSocket: {
    type: "path",
    default: undefined,
    flag: "--http-socket",
    valueName: "path",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_SOCKET"],
    scope: "process",
    group: "http",
    help: "Unix socket to listen on instead of a port; only the user who runs the server can open it",
  },
  httpEndpoint: {
    type: "text",
    default: "/mcp",
    validate: endpointProblem,
    flag: "--http-endpoint",
    valueName: "path",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_ENDPOINT"],
    scope: "process",
    group: "http",
    help: "Path of the MCP endpoint",
  },
  httpBasePath: {
    type: "text",
    default: "/",
    validate: (path) => pathProblem(path.replace(/(?<=.)\/$/, "")),
    flag: "--http-base-path",
    valueName: "path",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_BASE_PATH"],
    scope: "process",
    group: "http",
    help: "Path under which all addresses of the server lie, where a proxy hands requests on with its prefix",
  },
  httpProtocol: {
    type: "choice",
    choices: ["http", "https"],
    default: "http",
    flag: "--http-protocol",
    valueName: "protocol",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_PROTOCOL"],
    scope: "process",
    group: "http",
    help: "https needs --https-cert and --https-key, or --https-pfx",
  },
  httpsCert: {
    type: "path",
    default: undefined,
    flag: "--https-cert",
    valueName: "file",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTPS_CERT"],
    scope: "process",
    group: "http",
    help:
      "Certificate in PEM form, followed by the certificates that lead to its issuer; read again when it changes",
  },
  httpsKey: {
    type: "path",
    default: undefined,
    flag: "--https-key",
    valueName: "file",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTPS_KEY"],
    scope: "process",
    group: "http",
    help: "Private key of --https-cert in PEM form",
  },
  httpsPfx: {
    type: "path",
    default: undefined,
    flag: "--https-pfx",
    valueName: "file",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTPS_PFX"],
    scope: "process",
    group: "http",
    help: "Certificate and private key in one PKCS#12 file; read again when it changes",
  },
  httpsPassphrase: {
    type: "text",
    default: undefined,
    secret: true,
    flag: "--https-passphrase",
    valueName: "text",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTPS_PASSPHRASE"],
    scope: "process",
    group: "http",
    help:
      "Passphrase of --https-pfx or --https-key; every user of the machine can read a command line, so prefer " +
      "the file or the variable",
  },
  httpAuthTokens: {
    type: "list",
    default: [],
    filled: true,
    validate: tokenProblem,
    secret: true,
    flag: "--http-auth-token",
    valueName: "token",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN"],
    scope: "process",
    group: "http",
    help:
      "Tokens of which a client must send one as Authorization: Bearer; in the file one a line. Every user of the " +
      "machine can read a command line, so prefer the file or the variable",
  },
  allowInsecureBind: {
    type: "boolean",
    default: false,
    flag: "--allow-insecure-bind",
    env: ["CLOAK_PLAYWRIGHT_MCP_ALLOW_INSECURE_BIND"],
    scope: "process",
    group: "http",
    help:
      "Listen on an address that other machines reach although no token is set: whoever reaches it has the browser",
  },
  allowedHosts: {
    type: "list",
    default: [],
    validate: allowedHostProblem,
    flag: "--allowed-host",
    aliases: ["--allowed-hosts"],
    valueName: "host",
    env: [
      "CLOAK_PLAYWRIGHT_MCP_ALLOWED_HOST",
      { name: "PLAYWRIGHT_MCP_ALLOWED_HOSTS", emptyIsUnset: true },
    ],
    scope: "process",
    group: "http",
    help:
      "Host names that clients may use for the server, each for any port or with the one that is meant; loopback " +
      "names and --http-host are always in. * answers to any name",
  },
  allowedOrigins: {
    type: "list",
    default: [],
    validate: allowedOriginProblem,
    flag: "--allowed-origin",
    valueName: "origin",
    env: ["CLOAK_PLAYWRIGHT_MCP_ALLOWED_ORIGIN"],
    scope: "process",
    group: "http",
    help:
      "Origins of web pages that may use the server, such as https://app.example; switches CORS on for them. Not " +
      "--allowed-origins, which is about the pages that the browser visits",
  },
  trustProxy: {
    type: "list",
    default: [],
    validate: rangeProblem,
    flag: "--trust-proxy",
    valueName: "cidr",
    env: ["CLOAK_PLAYWRIGHT_MCP_TRUST_PROXY"],
    scope: "process",
    group: "http",
    help:
      "Proxies whose X-Forwarded-For is believed: addresses, CIDR ranges, or unix for whatever comes over " +
      "--http-socket",
  },
  httpMaxBodyBytes: {
    type: "integer",
    default: DEFAULT_BODY_BYTES,
    min: SMALLEST_BODY_BYTES,
    max: LONGEST_V8_STRING,
    flag: "--http-max-body-bytes",
    valueName: "bytes",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_MAX_BODY_BYTES"],
    scope: "process",
    group: "http",
    help: "Largest body of a request; the default is that of the MCP SDK",
  },
  httpKeepaliveMs: {
    type: "integer",
    default: DEFAULT_KEEPALIVE_MS,
    min: 0,
    max: LONGEST_TIMER_MS,
    flag: "--http-keepalive-ms",
    valueName: "ms",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_KEEPALIVE_MS"],
    scope: "process",
    group: "http",
    help:
      "How long an event stream may be silent before a comment is sent, so that no proxy cuts it; 0 for never",
  },
  httpSessionBackend: {
    type: "choice",
    choices: ["memory"],
    default: "memory",
    flag: "--http-session-backend",
    valueName: "backend",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_SESSION_BACKEND"],
    scope: "process",
    group: "http",
    help: "Where the list of sessions is kept",
  },
  httpSessionIdleTtlMs: {
    type: "integer",
    default: 3_600_000,
    min: 1,
    max: LONGEST_TIMER_MS,
    flag: "--http-session-idle-ttl-ms",
    valueName: "ms",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_SESSION_IDLE_TTL_MS"],
    scope: "process",
    group: "http",
    help: "How long a session without a running call or an open stream is kept",
  },
  httpSessionMax: {
    type: "integer",
    default: 32,
    min: 1,
    max: MOST_SESSIONS,
    flag: "--http-session-max",
    valueName: "n",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_SESSION_MAX"],
    scope: "process",
    group: "http",
    help: "Most sessions at a time, those that are being opened included",
  },
  httpSessionPerClientMax: {
    type: "integer",
    default: undefined,
    defaultText: "as many as there may be",
    min: 1,
    max: MOST_SESSIONS,
    flag: "--http-session-per-client-max",
    valueName: "n",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_SESSION_PER_CLIENT_MAX"],
    scope: "process",
    group: "http",
    help: "Most sessions at a time of one client: of one token, or without tokens of one address",
  },
  httpSessionRate: {
    type: "text",
    default: undefined,
    defaultText: "off",
    validate: rateProblem,
    flag: "--http-session-rate",
    valueName: "rate",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_SESSION_RATE"],
    scope: "process",
    group: "http",
    help: "How many sessions one client may open in a time, such as 10/60s",
  },
  httpCallRate: {
    type: "text",
    default: undefined,
    defaultText: "off",
    validate: rateProblem,
    flag: "--http-call-rate",
    valueName: "rate",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_CALL_RATE"],
    scope: "process",
    group: "http",
    help:
      "How many tool calls one session, and all sessions of one client, may make in a time, such as 100/60s",
  },
  httpWarmSpares: {
    type: "integer",
    default: 1,
    min: 0,
    max: MOST_SPARES,
    flag: "--http-warm-spares",
    valueName: "n",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_WARM_SPARES"],
    scope: "process",
    group: "http",
    help: "Upstream processes without a browser that stand ready for the next sessions",
  },
  sessionOptionsAllow: {
    type: "list",
    default: undefined,
    defaultText: "all that a session may set",
    flag: "--session-options-allow",
    valueName: "keys",
    env: ["CLOAK_PLAYWRIGHT_MCP_SESSION_OPTIONS_ALLOW"],
    scope: "process",
    group: "http",
    help:
      "Settings keys that a client may set for its session in the metadata of initialize; an empty list forbids all",
  },
  httpOpenProbes: {
    type: "boolean",
    default: false,
    flag: "--http-open-probes",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_OPEN_PROBES"],
    scope: "process",
    group: "http",
    help: "Answer /healthz, /readyz and /metrics without a token",
  },
} as const satisfies OptionTable;

function hostProblem(host: string): string | undefined {
  const authority = parseAuthority(host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);
  return authority === undefined || authority.port !== undefined || host.startsWith("[")
    ? 'must be a host name or an IP address such as "127.0.0.1" or "::1", without port and brackets'
    : undefined;
}

function endpointProblem(path: string): string | undefined {
  const reserved = PROBE_PATHS.find((probe) => probe === path);
  if (reserved !== undefined) return `must not be ${reserved}: that path is reserved for a probe`;
  return pathProblem(path);
}

function pathProblem(path: string): string | undefined {
  if (!path.startsWith("/")) return 'must start with "/"';
  if (path.includes("?")) return "must not contain a query";
  if (path.includes("#")) return "must not contain a fragment";
  if (path !== "/" && path.endsWith("/")) return 'must not end with "/"';
  const pathname = URL.canParse(`http://h${path}`) ? new URL(`http://h${path}`).pathname : "";
  if (pathname === path) return undefined;
  return `must be written as it stands in a URL${pathname === "" ? "" : `: "${pathname}"`}`;
}

/** Blanks would make more than two words of the header; other characters no client can send. Names no token. */
function tokenProblem(token: string): string | undefined {
  return /^[!-~]+$/.test(token)
    ? undefined
    : "must consist of letters, digits and signs of ASCII, without blanks";
}

function allowedHostProblem(host: string): string | undefined {
  return host === ANY_HOST || parseAuthority(host) !== undefined
    ? undefined
    : `must hold host names such as "mcp.example" or "[2001:db8::1]:8080", not "${host}"`;
}

/** Origins of web pages, and of extensions and desktop programs, whose schemes are their own. */
function allowedOriginProblem(origin: string): string | undefined {
  const known = origin.includes("*")
    ? false
    : /^https?:/i.test(origin)
    ? URL.canParse(origin) && new URL(origin).origin.replace(/:(80|443)$/, "") ===
        origin.toLowerCase().replace(/:(80|443)$/, "")
    : /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/i.test(origin);
  return known
    ? undefined
    : `must hold origins such as "https://app.example" or "http://localhost:5173", without path and wildcard, not "${origin}"`;
}

function rangeProblem(range: string): string | undefined {
  return range === UNIX_PEER || parseIpRange(range) !== undefined
    ? undefined
    : `must hold IP addresses, CIDR ranges such as "10.0.0.0/8" or the word "${UNIX_PEER}", not "${range}"`;
}
