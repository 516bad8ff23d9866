import type { OptionTable } from "../option.ts";

/** What the process is to be and where its settings file lies. */
export const GENERAL_OPTIONS = {
  transport: {
    type: "choice",
    choices: ["stdio", "streamable-http"],
    default: "stdio",
    flag: "--transport",
    valueName: "mode",
    env: ["CLOAK_PLAYWRIGHT_MCP_TRANSPORT"],
    scope: "process",
    group: "general",
    help: "How MCP clients reach the server: one client that starts it, or many over HTTP",
  },
  settingsPath: {
    type: "path",
    default: undefined,
    flag: "--settings",
    valueName: "file",
    env: ["CLOAK_PLAYWRIGHT_MCP_SETTINGS"],
    inFile: false,
    scope: "process",
    group: "general",
    help: "Settings file: JSON with comments, keys as in docs/configuration.md",
  },
} as const satisfies OptionTable;
