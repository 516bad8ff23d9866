import { LOG_FORMATS, LOG_LEVELS } from "../../telemetry/log.ts";
import type { OptionTable } from "../option.ts";

/** What is logged; it always goes to standard error. */
export const LOGGING_OPTIONS = {
  logLevel: {
    type: "choice",
    choices: LOG_LEVELS,
    ignoreCase: true,
    default: "warn",
    derive: (settings) => (settings["transport"] === "streamable-http" ? "info" : "warn"),
    defaultText: "warn; info with --transport streamable-http",
    flag: "--log-level",
    valueName: "level",
    env: ["CLOAK_PLAYWRIGHT_MCP_LOG_LEVEL"],
    scope: "process",
    group: "logging",
    help: "Least severe level that is logged; arguments and results of tools appear at debug and below only",
  },
  logFormat: {
    type: "choice",
    choices: LOG_FORMATS,
    ignoreCase: true,
    default: "text",
    flag: "--log-format",
    valueName: "format",
    env: ["CLOAK_PLAYWRIGHT_MCP_LOG_FORMAT"],
    scope: "process",
    group: "logging",
    help: "Log lines for people or one JSON object per line",
  },
} as const satisfies OptionTable;
