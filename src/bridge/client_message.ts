/**
 * What a client sent, checked: a stranger's bytes become one of four well-formed kinds, or a fault with the
 * JSON-RPC error that answers it.
 */
import {
  isJsonObject,
  type JsonObject,
  type JsonRpcError,
  type JsonRpcId,
  RPC_CODE,
} from "../protocol/json_rpc.ts";

export interface ClientRequest {
  readonly kind: "request";
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: unknown;
}

export type ClientMessage =
  | ClientRequest
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "response"; readonly id: JsonRpcId }
  | { readonly kind: "fault"; readonly id: JsonRpcId | null; readonly error: JsonRpcError };

/**
 * Reads one message from the client. The whole of it is parsed, so that nothing but JSON is ever handed to
 * upstream; it is then forwarded as the bytes it came in.
 */
export function readClientMessage(bytes: Uint8Array): ClientMessage {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const cause = error instanceof SyntaxError ? "it is not valid JSON" : "it is not valid UTF-8 or too long";
    return fault(null, RPC_CODE.parseError, `Parse error: cannot read a message because ${cause}`);
  }
  if (Array.isArray(value)) {
    return fault(
      null,
      RPC_CODE.invalidRequest,
      "Invalid request: batches are not supported; send one by one",
    );
  }
  if (!isJsonObject(value)) {
    return fault(null, RPC_CODE.invalidRequest, "Invalid request: a message must be a JSON object");
  }
  return classify(value);
}

function classify(value: JsonObject): ClientMessage {
  const { id, method, params } = value;
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  if (value.jsonrpc !== "2.0") {
    return fault(known, RPC_CODE.invalidRequest, 'Invalid request: "jsonrpc" must be "2.0"');
  }
  if (method === undefined) {
    if (known !== null && ("result" in value || "error" in value)) return { kind: "response", id: known };
    return fault(known, RPC_CODE.invalidRequest, 'Invalid request: neither "method" nor a response');
  }
  if (typeof method !== "string") {
    return fault(known, RPC_CODE.invalidRequest, 'Invalid request: "method" must be a string');
  }
  if (!("id" in value)) return { kind: "notification", method, params };
  if (known === null) {
    return fault(null, RPC_CODE.invalidRequest, 'Invalid request: "id" must be a string or a number');
  }
  return { kind: "request", id: known, method, params };
}

function fault(id: JsonRpcId | null, code: number, message: string): ClientMessage {
  return { kind: "fault", id, error: { code, message } };
}
