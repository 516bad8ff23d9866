/**
 * The `initialize` result that a client sees: upstream's, with our name on it.
 */
import { isJsonObject, type JsonObject } from "../protocol/json_rpc.ts";
import { VERSION } from "../version.ts";
import embedded from "./embedded_initialize.json" with { type: "json" };

export const SERVER_INFO = {
  name: "cloakbrowser-mcp",
  title: "CloakBrowser MCP",
  version: VERSION,
  description: "Playwright MCP tools on the CloakBrowser Chromium, in one executable",
  websiteUrl: "https://github.com/swimmwatch/cloakbrowser-mcp",
  icons: [{
    src: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E" +
      "%3Cpath fill='%23264653' d='M12 2 3 22c6-4 12-4 18 0z'/%3E" +
      "%3Ccircle fill='%23e9c46a' cx='12' cy='13' r='3'/%3E%3C/svg%3E",
    mimeType: "image/svg+xml",
    sizes: ["any"],
  }],
} as const;

export const INSTRUCTIONS =
  "Playwright MCP tools drive a real Chromium. Take a browser_snapshot before acting on a page and use the " +
  "element references it prints. If a result says that the browser was lost, the next browser call starts a " +
  "fresh one: navigate again. cloakbrowser_binary_info and cloakbrowser_bridge_info tell what is running.";

/** The client's parameters, once they are known to be what the protocol asks for. */
export interface InitializeParams extends JsonObject {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject;
}

/** Whether `params` are complete (MCP 2025-11-25, "Lifecycle"), so that no upstream would refuse them. */
export function isCompleteInitialize(params: unknown): params is InitializeParams {
  return isJsonObject(params) && typeof params.protocolVersion === "string" &&
    isJsonObject(params.capabilities) && isJsonObject(params.clientInfo) &&
    typeof params.clientInfo.name === "string" && typeof params.clientInfo.version === "string";
}

/** What a client is told whose parameters are not. */
export const INCOMPLETE_INITIALIZE =
  'Invalid params: "initialize" needs "protocolVersion" (text), "capabilities" ' +
  '(object) and "clientInfo" (object with the texts "name" and "version")';

/**
 * Upstream's result with our identity: `serverInfo` is ours, our instructions stand before upstream's, and the
 * local tools make `tools` a capability in any case. Everything else is left as it is.
 */
export function mergeInitializeResult(upstream: JsonObject): JsonObject {
  const capabilities = isJsonObject(upstream.capabilities) ? upstream.capabilities : {};
  const tools = isJsonObject(capabilities.tools) ? capabilities.tools : {};
  const theirs = typeof upstream.instructions === "string" ? `\n\n${upstream.instructions}` : "";
  return {
    ...upstream,
    capabilities: { ...capabilities, tools: { ...tools, listChanged: true } },
    serverInfo: SERVER_INFO,
    instructions: INSTRUCTIONS + theirs,
  };
}

/**
 * What the embedded upstream answers, known ahead: it lets the bridge answer at once while the child is still
 * loading. A test compares it with the real child's answer.
 */
export function embeddedInitializeResult(params: InitializeParams): JsonObject {
  const supported: readonly string[] = embedded.protocolVersions;
  const [latest] = embedded.protocolVersions;
  const protocolVersion = supported.includes(params.protocolVersion) ? params.protocolVersion : latest;
  return { protocolVersion, ...embedded.result };
}
