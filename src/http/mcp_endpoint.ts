/**
 * The MCP endpoint: POST sends a message, GET listens, DELETE ends the session (MCP 2025-11-25, "Streamable HTTP").
 */
import type { ClientMessage } from "../bridge/client_message.ts";
import { INCOMPLETE_INITIALIZE, isCompleteInitialize } from "../bridge/handshake.ts";
import { encodeMessage } from "../bridge/client_port.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonRpcError,
  type JsonRpcId,
  type JsonRpcMessage,
  RPC_CODE,
} from "../protocol/json_rpc.ts";
import type { SessionOptions } from "../settings/session_options.ts";
import { type Posted, readBatch, readPosted } from "./posted.ts";
import { checkAccept } from "./guards/accept.ts";
import { readBody } from "./guards/body.ts";
import { checkContentType } from "./guards/content_type.ts";
import { checkProtocolVersion } from "./guards/protocol_version.ts";
import { readSessionId, requireSessionId, sessionNotFound } from "./guards/session_id.ts";
import { RefusalResponse, refusalResponse, refuse, type Verdict } from "./refusal.ts";
import type { Session } from "./session.ts";
import type { Admission, Sessions } from "./sessions.ts";
import type { TokenBuckets } from "./token_bucket.ts";

export interface McpEndpointOptions {
  readonly sessions: Sessions;
  readonly maxBodyBytes: number;
  /**
   * What the client of an `initialize` with these parameters wants for its session.
   *
   * @throws {AppError} `usage`, naming what it may not have
   */
  readonly readOptions: (params: unknown) => SessionOptions;
  /** Bounds the opening of sessions, by client. */
  readonly sessionRate: TokenBuckets | undefined;
  /** Bounds tool calls, by session and by client. */
  readonly callRate: TokenBuckets | undefined;
}

/** Who asks, as far as it is known. */
export interface Caller {
  /** What sessions are bound to: a token, or everybody where there are none. */
  readonly owner: string;
  /** What limits count by: the token, or the address where there are none. */
  readonly client: string;
}

/** A body that takes longer to arrive holds its memory for nothing. */
const BODY_TIMEOUT_MS = 30_000;

/** What a session cannot be opened for because of what its client, or the settings, ask for. */
const BLAMES_CLIENT: ReadonlySet<ErrorCode> = new Set(["usage", "locked"]);

/** When a client that was turned away for want of a place may try again. */
const RETRY_AFTER_S = 5;

const TURNED_AWAY = {
  full: ["capacity", "HTTP session limit reached"],
  client_full: [
    "client_capacity",
    "Session limit of this client reached; see --http-session-per-client-max",
  ],
  draining: ["draining", "The server is shutting down"],
} as const;

export class McpEndpoint {
  readonly #options: McpEndpointOptions;

  constructor(options: McpEndpointOptions) {
    this.#options = options;
  }

  handle(request: Request, caller: Caller): Promise<Response> {
    if (request.method === "POST") return this.#post(request, caller);
    return Promise.resolve(
      request.method === "GET" ? this.#listen(request, caller) : this.#delete(request, caller),
    );
  }

  async #post(request: Request, caller: Caller): Promise<Response> {
    for (const check of [checkContentType, checkAccept]) {
      const verdict = check(request);
      if (!verdict.ok) return refusalResponse(verdict.refusal);
    }
    const body = await readBody(request, {
      maxBytes: this.#options.maxBodyBytes,
      timeoutMs: BODY_TIMEOUT_MS,
    });
    if (!body.ok) return refusalResponse(body.refusal);
    const id = readSessionId(request);
    if (!id.ok) return refusalResponse(id.refusal);
    if (id.sessionId === undefined && isInitialize(body.value)) {
      return await this.#open(request, body.bytes, body.value, caller);
    }
    const found = this.#find(request, caller);
    if (!found.ok) return refusalResponse(found.refusal);
    if (!Array.isArray(body.value)) return await this.#deliver(found.session, [readPosted(body)], { caller });
    const batch = readBatch(body.value, found.session.bridge.relay.protocolVersion);
    if (!batch.ok) return refusalResponse(batch.refusal);
    return await this.#deliver(found.session, batch.messages, { caller, batch: true });
  }

  async #open(
    request: Request,
    bytes: Uint8Array,
    value: JsonObject,
    caller: Caller,
  ): Promise<Response> {
    const { sessions, sessionRate, readOptions } = this.#options;
    const posted = readPosted({ bytes, value });
    const unfit = initializeFault(posted.message);
    if (unfit !== undefined) {
      return rpcRefusal("message", { jsonrpc: "2.0", id: idOf(posted.message), error: unfit });
    }
    let admission: Admission;
    try {
      const options = readOptions(value["params"]);
      const allowed = sessionRate?.take(caller.client) ?? { ok: true };
      if (!allowed.ok) {
        return refusalResponse(
          refuse(429, "session_rate", "Too many sessions opened; see --http-session-rate", {
            headers: { "Retry-After": String(Math.ceil(allowed.retryAfterMs / 1000)) },
          }).refusal,
        );
      }
      admission = await sessions.admit(caller.owner, caller.client, options);
    } catch (error) {
      if (error instanceof AppError && BLAMES_CLIENT.has(error.code)) {
        return refusalResponse(refuse(400, "settings", error.describe()).refusal);
      }
      if (error instanceof AppError && error.code === "cdp_capacity") {
        return refusalResponse(
          refuse(503, "capacity", error.message, { headers: { "Retry-After": String(RETRY_AFTER_S) } })
            .refusal,
        );
      }
      throw error;
    }
    if (!admission.ok) {
      const [reason, text] = TURNED_AWAY[admission.reason];
      return refusalResponse(
        refuse(503, reason, text, { headers: { "Retry-After": String(RETRY_AFTER_S) } }).refusal,
      );
    }
    const { session } = admission;
    // A session whose `initialize` failed has no client that knows it. The answer may come after the response began.
    const onFinished = async (): Promise<void> => {
      if (!session.bridge.relay.initialized) await sessions.close(session, "failed");
    };
    // Nor has one whose client has gone before it could hear the id.
    const gone = (): void => void sessions.close(session, "failed");
    request.signal.addEventListener("abort", gone, { once: true });
    const response = await this.#deliver(session, [posted], { caller, onFinished });
    request.signal.removeEventListener("abort", gone);
    if (request.signal.aborted) gone();
    return response;
  }

  /** Hands over what one POST has brought, and answers it. */
  async #deliver(
    session: Session,
    posted: readonly Posted[],
    options: {
      readonly caller: Caller;
      readonly batch?: boolean;
      readonly onFinished?: () => Promise<void>;
    },
  ): Promise<Response> {
    using _running = session.use();
    const { caller, batch = false, onFinished } = options;
    const refused: JsonRpcMessage[] = [];
    const taken: Posted[] = [];
    for (const each of posted) {
      const error = this.#judge(session, each, caller);
      if (error === undefined) taken.push(each);
      else refused.push({ jsonrpc: "2.0", id: idOf(each.message), error });
    }
    const [first] = refused;
    if (first !== undefined && !batch) {
      await onFinished?.();
      return rpcRefusal(posted[0]?.message.kind === "fault" ? "message" : "call_rate", first);
    }
    const requests = taken.flatMap(({ message, value }) =>
      message.kind === "request" ? [{ id: message.id, progressToken: progressTokenOf(value) }] : []
    );
    const twice = requests.find(({ id }, at) =>
      session.port.waitsFor(id) || requests.findIndex((other) => other.id === id) < at
    );
    if (twice !== undefined) {
      return refusalResponse(
        refuse(400, "request_id", `Request id ${JSON.stringify(twice.id)} is in use`, {
          code: RPC_CODE.invalidRequest,
        })
          .refusal,
      );
    }
    if (requests.length + refused.length === 0) {
      await this.#hand(session, taken);
      return new Response(null, { status: 202 });
    }
    const exchange = session.port.exchange(requests, batch ? { own: refused.length } : undefined);
    if (onFinished !== undefined) void exchange.finished.then(onFinished);
    for (const message of refused) await exchange.answer(encodeMessage(message));
    await this.#hand(session, taken);
    return await exchange.response;
  }

  async #hand(session: Session, posted: readonly Posted[]): Promise<void> {
    for (const { message, bytes } of posted) {
      const cancelled = message.kind === "notification" && message.method === "notifications/cancelled"
        ? requestIdOf(message.params)
        : undefined;
      await session.bridge.relay.take(message, bytes);
      if (cancelled !== undefined) session.port.cancel(cancelled);
    }
  }

  /** Why a message goes no further. */
  #judge(session: Session, { message }: Posted, caller: Caller): JsonRpcError | undefined {
    if (message.kind === "fault") return message.error;
    return message.kind === "request" && message.method === "tools/call"
      ? this.#overRate(session, caller)
      : undefined;
  }

  #listen(request: Request, caller: Caller): Response {
    const accept = checkAccept(request);
    if (!accept.ok) return refusalResponse(accept.refusal);
    const found = this.#find(request, caller);
    if (!found.ok) return refusalResponse(found.refusal);
    const { port } = found.session;
    const lastEventId = request.headers.get("last-event-id");
    if (lastEventId !== null) {
      return port.resume(lastEventId) ?? refusalResponse(
        refuse(
          400,
          "last_event_id",
          "Bad Request: Last-Event-ID names no event that this session still keeps",
        ).refusal,
      );
    }
    if (!port.listening) return port.listen();
    return refusalResponse(
      refuse(409, "stream", "Conflict: Only one SSE stream is allowed per session").refusal,
    );
  }

  async #delete(request: Request, caller: Caller): Promise<Response> {
    const found = this.#find(request, caller);
    if (!found.ok) return refusalResponse(found.refusal);
    await this.#options.sessions.close(found.session, "deleted");
    return new Response(null, { status: 200 });
  }

  #find(request: Request, caller: Caller): Verdict<{ readonly session: Session }> {
    const id = requireSessionId(request);
    if (!id.ok) return id;
    const session = this.#options.sessions.find(id.sessionId, caller.owner);
    if (session === undefined) return sessionNotFound();
    const version = checkProtocolVersion(request, session.bridge.relay.protocolVersion);
    return version.ok ? { ok: true, session } : version;
  }

  #overRate(session: Session, caller: Caller): JsonRpcError | undefined {
    for (const key of [`session ${session.record.id}`, `client ${caller.client}`]) {
      const taken = this.#options.callRate?.take(key) ?? { ok: true };
      if (taken.ok) continue;
      const { retryAfterMs } = taken;
      const message = `Too many tool calls: wait ${retryAfterMs} ms; see --http-call-rate`;
      return { code: RPC_CODE.serverError, message, data: { retryAfterMs } };
    }
    return undefined;
  }
}

/** For a message that was read, so that its id is known. */
function rpcRefusal(reason: "message" | "call_rate", answer: JsonRpcMessage): Response {
  return new RefusalResponse(reason, JSON.stringify(answer), {
    status: reason === "message" ? 400 : 200,
    headers: { "Content-Type": "application/json" },
  });
}

/** Why an `initialize` is worth no session. */
function initializeFault(message: ClientMessage): JsonRpcError | undefined {
  if (message.kind === "fault") return message.error;
  return message.kind === "request" && isCompleteInitialize(message.params)
    ? undefined
    : { code: RPC_CODE.invalidParams, message: INCOMPLETE_INITIALIZE };
}

function idOf(message: ClientMessage): JsonRpcId | null {
  return message.kind === "notification" ? null : message.id;
}

function isInitialize(value: unknown): value is JsonObject {
  return isJsonObject(value) && value["method"] === "initialize" && "id" in value;
}

function requestIdOf(params: unknown): JsonRpcId | undefined {
  const id = isJsonObject(params) ? params["requestId"] : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function progressTokenOf(value: unknown): unknown {
  const params = isJsonObject(value) ? value["params"] : undefined;
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  return isJsonObject(meta) ? meta["progressToken"] : undefined;
}
