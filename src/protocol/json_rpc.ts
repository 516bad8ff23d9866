/**
 * The few shapes of JSON-RPC 2.0 (https://www.jsonrpc.org/specification) that the bridge itself reads or writes.
 */

export type JsonRpcId = string | number;

export type JsonObject = { [key: string]: unknown };

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface JsonRpcMessage {
  readonly jsonrpc: "2.0";
  readonly id?: JsonRpcId | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: JsonRpcError;
}

/** Codes of JSON-RPC 2.0, section 5.1, and the one that MCP implementations use for their own faults. */
export const RPC_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  serverError: -32000,
} as const;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
