import { readMember } from "../protocol/envelope.ts";
import type { CallOutcome } from "./traffic_observer.ts";

/** A result that reports a failure is a text; reading megabytes for the chance of one would double the cost of a relay. */
const LONGEST_FAILURE_BYTES = 256 * 1024;

/**
 * How upstream answered a tool call. An error of the tool is a result that says so (MCP 2025-11-25, "Tools", error
 * handling).
 *
 * @param failed whether the answer is a JSON-RPC error
 */
export function outcomeOf(failed: boolean, bytes: Uint8Array): CallOutcome {
  if (failed) return "rpc_error";
  if (bytes.length > LONGEST_FAILURE_BYTES) return "ok";
  return readMember(bytes, ["result", "isError"]) === true ? "tool_error" : "ok";
}
