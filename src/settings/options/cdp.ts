import { isUnspecified } from "../../protocol/ip_range.ts";
import { canonicalHostProblem } from "../canonical_host.ts";
import { methodPatternProblem } from "../cdp_method.ts";
import type { OptionTable } from "../option.ts";
import { LARGEST_PORT, portRangeProblem } from "../port_range.ts";

/** Timers hold their delay in a signed 32-bit number; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Each is a socket to the client and one to the browser, for one session. */
const MOST_CONNECTIONS = 4_096;

/** Where messages are inspected they are read as texts, and V8 cannot hold a longer string. */
const LONGEST_V8_STRING = 536_870_888;

/** No client of DevTools sends more than a few hundred bytes of headers; what proxies and cookies add fits too. */
const DEFAULT_HEADER_BYTES = 16 * 1024;
const SMALLEST_HEADER_BYTES = 1024;
const LARGEST_HEADER_BYTES = 1024 * 1024;

/** The second way into a session's browser: a Chrome DevTools Protocol address of its own. */
export const CDP_OPTIONS = {
  cdpEnabled: {
    type: "boolean",
    default: false,
    flag: "--cdp-enabled",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_ENABLED"],
    scope: "session",
    group: "cdp",
    help: "Hand out a Chrome DevTools Protocol address for the browser of a session; needs --cdp-port-range",
  },
  cdpPortRange: {
    type: "text",
    default: undefined,
    validate: portRangeProblem,
    flag: "--cdp-port-range",
    valueName: "ports",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_PORT_RANGE"],
    scope: "process",
    group: "cdp",
    help:
      "Ports for CDP addresses, such as 9300-9399: one for each session that has one. Does nothing by itself; HTTP " +
      "sessions can ask for one with cdpEnabled",
  },
  cdpHost: {
    type: "text",
    default: "127.0.0.1",
    validate: canonicalHostProblem,
    flag: "--cdp-host",
    valueName: "host",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_HOST"],
    scope: "process",
    group: "cdp",
    help: "Address to listen on for CDP clients; one that other machines reach needs --cdp-allow-remote",
  },
  cdpAllowRemote: {
    type: "boolean",
    default: false,
    flag: "--cdp-allow-remote",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_ALLOW_REMOTE"],
    scope: "process",
    group: "cdp",
    help: "Listen on a --cdp-host that other machines reach: whoever learns a CDP address has the browser",
  },
  cdpAdvertisedHost: {
    type: "text",
    default: undefined,
    defaultText: "--cdp-host",
    validate: advertisedHostProblem,
    flag: "--cdp-advertised-host",
    valueName: "host",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_ADVERTISED_HOST"],
    scope: "process",
    group: "cdp",
    help: "Host in the CDP addresses that are handed out, and the only one that requests may name",
  },
  cdpAdvertisedScheme: {
    type: "choice",
    choices: ["http", "https"],
    default: "http",
    derive: (settings) => (settings["cdpTlsCert"] === undefined ? "http" : "https"),
    defaultText: "https with --cdp-tls-cert, else http",
    flag: "--cdp-advertised-scheme",
    valueName: "scheme",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_ADVERTISED_SCHEME"],
    scope: "process",
    group: "cdp",
    help: "Scheme of the CDP addresses that are handed out; https also where a proxy in front ends TLS",
  },
  cdpAdvertisedPortOffset: {
    type: "integer",
    default: 0,
    min: -LARGEST_PORT,
    max: LARGEST_PORT,
    flag: "--cdp-advertised-port-offset",
    valueName: "n",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_ADVERTISED_PORT_OFFSET"],
    scope: "process",
    group: "cdp",
    help:
      "What to add to a port of --cdp-port-range to get the one in the CDP address, where a proxy in front has ports " +
      "of its own",
  },
  cdpTlsCert: {
    type: "path",
    default: undefined,
    flag: "--cdp-tls-cert",
    valueName: "file",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_TLS_CERT"],
    scope: "process",
    group: "cdp",
    help:
      "Certificate in PEM form to serve CDP over TLS, followed by the certificates that lead to its issuer",
  },
  cdpTlsKey: {
    type: "path",
    default: undefined,
    flag: "--cdp-tls-key",
    valueName: "file",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_TLS_KEY"],
    scope: "process",
    group: "cdp",
    help: "Private key of --cdp-tls-cert in PEM form",
  },
  cdpMethodsDeny: {
    type: "list",
    default: [],
    validate: methodPatternProblem,
    flag: "--cdp-methods-deny",
    valueName: "list",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_METHODS_DENY"],
    scope: "process",
    group: "cdp",
    help: "CDP methods that are refused, such as Browser.close or Target.*; every message is then inspected",
  },
  cdpReadOnly: {
    type: "boolean",
    default: false,
    flag: "--cdp-read-only",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_READ_ONLY"],
    scope: "process",
    group: "cdp",
    help: "Refuse CDP methods that change the browser or its pages; every message is then inspected",
  },
  cdpMaxConnections: {
    type: "integer",
    default: 8,
    min: 1,
    max: MOST_CONNECTIONS,
    flag: "--cdp-max-connections",
    valueName: "n",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_MAX_CONNECTIONS"],
    scope: "process",
    group: "cdp",
    help: "Most CDP WebSockets of a session at a time, those that are being opened included",
  },
  cdpMaxHttpRequests: {
    type: "integer",
    default: 16,
    min: 1,
    max: MOST_CONNECTIONS,
    flag: "--cdp-max-http-requests",
    valueName: "n",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_MAX_HTTP_REQUESTS"],
    scope: "process",
    group: "cdp",
    help: "Most CDP requests over HTTP of a session at a time, such as for /json/version",
  },
  cdpMaxMessageBytes: {
    type: "integer",
    default: 0,
    defaultText: "0, no bound but the browser's",
    min: 0,
    max: LONGEST_V8_STRING,
    flag: "--cdp-max-message-bytes",
    valueName: "bytes",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_MAX_MESSAGE_BYTES"],
    scope: "process",
    group: "cdp",
    help: "Longest CDP message that is passed on; 0 for no bound, because nothing of a message is kept",
  },
  cdpMaxHeaderBytes: {
    type: "integer",
    default: DEFAULT_HEADER_BYTES,
    min: SMALLEST_HEADER_BYTES,
    max: LARGEST_HEADER_BYTES,
    flag: "--cdp-max-header-bytes",
    valueName: "bytes",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_MAX_HEADER_BYTES"],
    scope: "process",
    group: "cdp",
    help: "Longest head of a request of a CDP client",
  },
  cdpBootstrapTimeoutMs: {
    type: "integer",
    default: 60_000,
    min: 1,
    max: LONGEST_TIMER_MS,
    flag: "--cdp-bootstrap-timeout-ms",
    valueName: "ms",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_BOOTSTRAP_TIMEOUT_MS"],
    scope: "process",
    group: "cdp",
    help: "How long it may take until a started browser has its CDP address, all steps together",
  },
  cdpRequestTimeoutMs: {
    type: "integer",
    default: 10_000,
    min: 1,
    max: LONGEST_TIMER_MS,
    flag: "--cdp-request-timeout-ms",
    valueName: "ms",
    env: ["CLOAK_PLAYWRIGHT_MCP_CDP_REQUEST_TIMEOUT_MS"],
    scope: "process",
    group: "cdp",
    help: "How long the head of a CDP client's request, and the browser's answer to it, may each take",
  },
} as const satisfies OptionTable;

function advertisedHostProblem(host: string): string | undefined {
  return canonicalHostProblem(host) ??
    (isUnspecified(host) ? "must be concrete: clients cannot connect to every address" : undefined);
}
