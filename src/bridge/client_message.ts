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
  /** Why the SDK of MCP, and so the embedded upstream, would drop it without an answer. */
  readonly unanswerable?: JsonRpcError;
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
  const known = typeof id === "string" || isExact(id) ? id : null;
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
  if (known === null || (typeof known === "number" && !Number.isInteger(known))) {
    return fault(
      known,
      RPC_CODE.invalidRequest,
      'Invalid request: "id" must be a string, or an integer of at most 2^53 - 1',
    );
  }
  const unanswerable = memberProblem(value) ?? paramsProblem(params);
  return {
    kind: "request",
    id: known,
    method,
    params,
    ...(unanswerable === undefined ? {} : { unanswerable }),
  };
}

const MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);

/** Beyond the safe integers two numbers of the client are one here, and the answer would bear the wrong id. */
function isExact(id: unknown): id is number {
  return typeof id === "number" && Math.abs(id) <= Number.MAX_SAFE_INTEGER;
}

const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** Of a name that a stranger has made up. */
const LONGEST_SHOWN_NAME = 60;

function memberProblem(request: JsonObject): JsonRpcError | undefined {
  const name = Object.keys(request).find((each) => !MEMBERS.has(each));
  if (name === undefined) return undefined;
  const shown = name.slice(0, LONGEST_SHOWN_NAME);
  return { code: RPC_CODE.invalidRequest, message: `Invalid request: a request has no member "${shown}"` };
}

/** What is wrong with parameters whatever the method is (MCP 2025-11-25, schema `RequestParams`). */
function paramsProblem(params: unknown): JsonRpcError | undefined {
  const problem = (text: string): JsonRpcError => ({
    code: RPC_CODE.invalidParams,
    message: `Invalid params: ${text}`,
  });
  if (params === undefined) return undefined;
  if (!isJsonObject(params)) return problem('"params" must be an object');
  const { _meta: meta } = params;
  if (meta === undefined) return undefined;
  if (!isJsonObject(meta)) return problem('"_meta" must be an object');
  const { progressToken: token, [RELATED_TASK]: task } = meta;
  if (token !== undefined && typeof token !== "string" && !Number.isSafeInteger(token)) {
    return problem('"_meta.progressToken" must be a string or an integer of at most 2^53 - 1');
  }
  return task === undefined || (isJsonObject(task) && typeof task.taskId === "string")
    ? undefined
    : problem(`"_meta.${RELATED_TASK}.taskId" must be a string`);
}

function fault(id: JsonRpcId | null, code: number, message: string): ClientMessage {
  return { kind: "fault", id, error: { code, message } };
}
