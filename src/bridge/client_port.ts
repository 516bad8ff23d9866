/**
 * The relay's view of its client: somewhere to put messages, one at a time and in order.
 */
import type { JsonRpcError, JsonRpcId, JsonRpcMessage } from "../protocol/json_rpc.ts";

export interface ClientPort {
  /** Takes one JSON-RPC message. Resolves when there is room for more; never rejects, a gone client takes all. */
  send(bytes: Uint8Array): Promise<void>;
}

const encoder = new TextEncoder();

/** Bytes of a message that the bridge itself says. */
export function encodeMessage(message: JsonRpcMessage): Uint8Array {
  return encoder.encode(JSON.stringify(message));
}

export function resultMessage(id: JsonRpcId, result: unknown): Uint8Array {
  return encodeMessage({ jsonrpc: "2.0", id, result });
}

/** `id` is null where the request's own cannot be told (JSON-RPC 2.0, section 5). */
export function errorMessage(id: JsonRpcId | null, error: JsonRpcError): Uint8Array {
  return encodeMessage({ jsonrpc: "2.0", id, error });
}

export function notificationMessage(method: string, params?: unknown): Uint8Array {
  return encodeMessage({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
}

/** A tool result that reports a failure to the agent (MCP 2025-11-25, "Tools", error handling). */
export function toolErrorMessage(id: JsonRpcId, text: string): Uint8Array {
  return resultMessage(id, { content: [{ type: "text", text }], isError: true });
}
