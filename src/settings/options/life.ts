import type { OptionTable } from "../option.ts";

/** Timers hold their delay in a signed 32-bit number; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Bounds on starting and ending. With the defaults of the last two the process ends within 5 s of a signal. */
export const LIFE_OPTIONS = {
  upstreamStartTimeoutMs: {
    type: "integer",
    default: 30_000,
    min: 1,
    max: LONGEST_TIMER_MS,
    flag: "--upstream-start-timeout-ms",
    valueName: "ms",
    env: ["CLOAK_PLAYWRIGHT_MCP_UPSTREAM_START_TIMEOUT_MS"],
    scope: "process",
    group: "life",
    help: "How long a started upstream may take to answer initialize",
  },
  drainTimeoutMs: {
    type: "integer",
    default: 3_000,
    min: 0,
    max: LONGEST_TIMER_MS,
    flag: "--drain-timeout-ms",
    valueName: "ms",
    env: ["CLOAK_PLAYWRIGHT_MCP_DRAIN_TIMEOUT_MS"],
    scope: "process",
    group: "life",
    help: "How long running calls may still finish after the client has closed standard input",
  },
  shutdownGraceMs: {
    type: "integer",
    default: 4_000,
    min: 0,
    max: LONGEST_TIMER_MS,
    flag: "--shutdown-grace-ms",
    valueName: "ms",
    env: ["CLOAK_PLAYWRIGHT_MCP_SHUTDOWN_GRACE_MS"],
    scope: "process",
    group: "life",
    help: "How long ending may take before processes are killed, draining included; " +
      "the browser gets at least 1500 of it to close in order",
  },
} as const satisfies OptionTable;
