import type { OptionTable } from "../option.ts";

/**
 * A tool result with a large screenshot or trace must pass whole, so the default is far above anything Playwright
 * MCP sends. V8 cannot hold a longer string than the maximum, so no larger message could be read at all.
 */
const DEFAULT_MESSAGE_BYTES = 256 * 1024 * 1024;
const SMALLEST_MESSAGE_BYTES = 1024 * 1024;
const LONGEST_V8_STRING = 536_870_888;

/** The child process that serves the Playwright MCP tools. */
export const UPSTREAM_OPTIONS = {
  upstreamConfigPath: {
    type: "path",
    default: undefined,
    flag: "--config",
    valueName: "path",
    env: ["PLAYWRIGHT_MCP_CONFIG"],
    scope: "process",
    group: "upstream",
    help: "Playwright MCP's own configuration file; merged under what this program generates",
  },
  upstreamCommand: {
    type: "command",
    default: undefined,
    defaultText: "the Playwright MCP inside this program",
    flag: "--upstream-command",
    valueName: "json",
    env: ["CLOAK_PLAYWRIGHT_MCP_UPSTREAM_COMMAND"],
    scope: "process",
    group: "upstream",
    help: "Another stdio MCP server to start instead, as a JSON array of strings: program and arguments",
  },
  maxMessageBytes: {
    type: "integer",
    default: DEFAULT_MESSAGE_BYTES,
    min: SMALLEST_MESSAGE_BYTES,
    max: LONGEST_V8_STRING,
    flag: "--max-message-bytes",
    valueName: "bytes",
    env: ["CLOAK_PLAYWRIGHT_MCP_MAX_MESSAGE_BYTES"],
    scope: "process",
    group: "upstream",
    help: "Longest MCP message that is read from the client or from upstream",
  },
} as const satisfies OptionTable;
