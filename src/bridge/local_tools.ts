/**
 * The tools that the bridge answers itself. They need no browser and no upstream, and are never forwarded.
 */
import type { JsonObject } from "../protocol/json_rpc.ts";
import type { SupervisorState } from "../upstream/supervisor.ts";
import { UPSTREAM_PACKAGE, UPSTREAM_VERSION } from "../version.ts";
import { SERVER_INFO } from "./handshake.ts";

/** One tool of the bridge: its definition as listed, and what it reports. */
export interface LocalTool {
  readonly definition: JsonObject & { readonly name: string };
  readonly report: () => Promise<JsonObject>;
}

/** What the info tools tell about, read when they are called. */
export interface BridgeState {
  readonly browserEngine: string;
  readonly replacedUpstream: boolean;
  readonly upstream: () => {
    readonly state: SupervisorState;
    readonly generation: number;
    readonly pid: number | undefined;
    /** Undefined where the client has not listed the tools yet. */
    readonly toolCount: number | undefined;
  };
  /** The session's CDP address, or that it has none. */
  readonly cdp: () => JsonObject;
  /** Where the browser keeps its profile, how large it is, and since when it is there. */
  readonly profile: () => Promise<JsonObject>;
  /** What runs of humanized input and console fallback. */
  readonly pageFeatures: () => Promise<JsonObject>;
  /** What becomes of files that sites send. */
  readonly downloads: () => JsonObject;
  /** What is known of the browser executable. */
  readonly binary: () => Promise<JsonObject>;
}

export const BINARY_INFO = "cloakbrowser_binary_info";
export const BRIDGE_INFO = "cloakbrowser_bridge_info";
const NAMES = [BINARY_INFO, BRIDGE_INFO];

const NO_ARGUMENTS = { type: "object", properties: {}, additionalProperties: false } as const;
const READ_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;
const TEXT = { type: "string" } as const;
const COUNT = { type: "integer", minimum: 0 } as const;
const OPTIONAL_TEXT = { type: ["string", "null"] } as const;
const FLAG = { type: "boolean" } as const;

export function createLocalTools(state: BridgeState): ReadonlyMap<string, LocalTool> {
  const tools: LocalTool[] = [binaryInfo(state), bridgeInfo(state)];
  return new Map(tools.map((tool) => [tool.definition.name, tool]));
}

function binaryInfo(state: BridgeState): LocalTool {
  return {
    definition: {
      name: BINARY_INFO,
      title: "CloakBrowser binary info",
      description: "Which browser executable this server uses, its version, and whether it is installed. " +
        "Starts nothing and downloads nothing.",
      inputSchema: NO_ARGUMENTS,
      outputSchema: {
        type: "object",
        properties: {
          browserEngine: TEXT,
          executablePath: OPTIONAL_TEXT,
          source: TEXT,
          outputDir: OPTIONAL_TEXT,
          binary: { type: ["object", "null"] },
          note: TEXT,
        },
        required: ["browserEngine", "executablePath", "binary"],
      },
      annotations: { title: "CloakBrowser binary info", ...READ_ONLY },
    },
    report: state.binary,
  };
}

function bridgeInfo(state: BridgeState): LocalTool {
  return {
    definition: {
      name: BRIDGE_INFO,
      title: "CloakBrowser bridge info",
      description:
        "State of this server: version, upstream Playwright MCP, browser generation, tool counts. " +
        "Starts nothing.",
      inputSchema: NO_ARGUMENTS,
      outputSchema: {
        type: "object",
        properties: {
          name: TEXT,
          title: TEXT,
          version: TEXT,
          runtime: { const: "playwright-mcp-bridge" },
          browserEngine: TEXT,
          upstream: {
            type: "object",
            properties: {
              package: OPTIONAL_TEXT,
              version: OPTIONAL_TEXT,
              toolCount: { type: ["integer", "null"], minimum: 0 },
              state: { enum: ["starting", "ready", "lost", "stopped"] },
              generation: COUNT,
              pid: { type: ["integer", "null"] },
            },
            required: ["package", "version", "toolCount", "state", "generation", "pid"],
          },
          profile: {
            type: "object",
            properties: {
              kind: { enum: ["kept", "session", "workspace", "isolated", "none"] },
              path: OPTIONAL_TEXT,
              sizeBytes: { type: ["integer", "null"], minimum: 0 },
              createdAt: OPTIONAL_TEXT,
            },
            required: ["kind", "path", "sizeBytes", "createdAt"],
          },
          localTools: {
            type: "object",
            properties: { toolCount: COUNT, names: { type: "array", items: TEXT } },
            required: ["toolCount", "names"],
          },
          humanize: {
            type: "object",
            properties: { enabled: FLAG, preset: TEXT, active: FLAG, reason: TEXT, switchedOff: FLAG },
            required: ["enabled", "preset", "active"],
          },
          consoleFallback: {
            type: "object",
            properties: { enabled: FLAG, active: FLAG, reason: TEXT, switchedOff: FLAG },
            required: ["enabled", "active"],
          },
          downloads: {
            type: "object",
            properties: {
              mode: { enum: ["allow", "session-dir", "deny", null] },
              maxBytes: { type: ["integer", "null"], minimum: 1 },
            },
            required: ["mode", "maxBytes"],
          },
          cdp: {
            type: "object",
            properties: {
              enabled: { type: "boolean" },
              state: { enum: ["starting", "ready", "unavailable"] },
              generation: COUNT,
              bindHost: TEXT,
              port: COUNT,
              advertisedHost: OPTIONAL_TEXT,
              discoveryUrl: OPTIONAL_TEXT,
              activeConnections: COUNT,
            },
            required: ["enabled"],
          },
        },
        required: [
          ...["name", "title", "version", "runtime", "browserEngine", "upstream", "profile", "localTools"],
          ...["humanize", "consoleFallback", "downloads", "cdp"],
        ],
      },
      annotations: { title: "CloakBrowser bridge info", ...READ_ONLY },
    },
    report: async () => {
      const profile = await state.profile();
      const { pid, toolCount, ...upstream } = state.upstream();
      return {
        name: SERVER_INFO.name,
        title: SERVER_INFO.title,
        version: SERVER_INFO.version,
        runtime: "playwright-mcp-bridge",
        browserEngine: state.browserEngine,
        upstream: {
          package: state.replacedUpstream ? null : UPSTREAM_PACKAGE,
          version: state.replacedUpstream ? null : UPSTREAM_VERSION,
          ...upstream,
          toolCount: toolCount ?? null,
          pid: pid ?? null,
        },
        profile,
        localTools: { toolCount: NAMES.length, names: NAMES },
        ...await state.pageFeatures(),
        downloads: state.downloads(),
        cdp: state.cdp(),
      };
    },
  };
}

/** A report as a tool result: text for the agent, the same as structured content. */
export function reportResult(report: JsonObject): JsonObject {
  return { content: [{ type: "text", text: JSON.stringify(report, null, 2) }], structuredContent: report };
}
