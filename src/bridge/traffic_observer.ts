/**
 * Somebody who counts what a relay does. The relay knows no metrics: it tells what happened, in words from closed sets,
 * and nothing that a client could have made up.
 */

export const DIRECTIONS = ["from_client", "from_upstream"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/**
 * `tool_error`: a result with `isError`; `rpc_error`: a JSON-RPC error of upstream; `lost`: the upstream, or the
 * session, ended first; `unavailable`: there is no browser to call; `refused`: the bridge did not take the call.
 */
export const CALL_OUTCOMES = [
  "ok",
  "tool_error",
  "rpc_error",
  "lost",
  "cancelled",
  "unavailable",
  "refused",
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/**
 * `browser_changed`: the executable turned out to be another one than the child was started with; `limit`: the browser
 * was over a limit of the operator's.
 */
export const RESTART_REASONS = ["lost", "browser_changed", "limit"] as const;
export type RestartReason = (typeof RESTART_REASONS)[number];

export interface EndedCall {
  /** The tool, where the client was told of it; undefined for any other name. */
  readonly tool: string | undefined;
  readonly outcome: CallOutcome;
  /** From the call's arrival to its answer, in milliseconds. */
  readonly ms: number;
}

export interface TrafficObserver {
  /** A message has arrived that is `bytes` long. */
  message(direction: Direction, bytes: number): void;
  callEnded(call: EndedCall): void;
  /** A lost or replaced upstream is being started again. */
  restarted(reason: RestartReason): void;
}
