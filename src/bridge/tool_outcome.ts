import { readMember } from "../protocol/envelope.ts";
import type { CallOutcome } from "./traffic_observer.ts";

/**
 * How upstream answered a tool call. An error of the tool is a result that says so (MCP 2025-11-25, "Tools", error
 * handling).
 *
 * @param failed whether the answer is a JSON-RPC error
 */
export function outcomeOf(failed: boolean, bytes: Uint8Array): CallOutcome {
  if (failed) return "rpc_error";
  return readMember(bytes, ["result", "isError"]) === true ? "tool_error" : "ok";
}
