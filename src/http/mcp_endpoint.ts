/**
 * The MCP endpoint: POST sends a message, GET listens, DELETE ends the session (MCP 2025-11-25, "Streamable HTTP").
 */
import { readClientMessage } from "../bridge/client_message.ts";
import { AppError } from "../errors.ts";
import { isJsonObject, type JsonRpcError, type JsonRpcId, RPC_CODE } from "../protocol/json_rpc.ts";
import { checkAccept } from "./guards/accept.ts";
import { readBody } from "./guards/body.ts";
import { checkContentType } from "./guards/content_type.ts";
import { checkProtocolVersion } from "./guards/protocol_version.ts";
import { readSessionId, requireSessionId, sessionNotFound } from "./guards/session_id.ts";
import { type RefusalReason, RefusalResponse, refusalResponse, refuse, type Verdict } from "./refusal.ts";
import type { Session } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import type { TokenBuckets } from "./token_bucket.ts";

export interface McpEndpointOptions {
  readonly sessions: Sessions;
  readonly maxBodyBytes: number;
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
      return await this.#open(body.bytes, body.value, caller);
    }
    const found = this.#find(request, caller);
    if (!found.ok) return refusalResponse(found.refusal);
    return await this.#deliver(found.session, body.bytes, body.value, caller);
  }

  async #open(bytes: Uint8Array, value: unknown, caller: Caller): Promise<Response> {
    const { sessions, sessionRate } = this.#options;
    const allowed = sessionRate?.take(caller.client) ?? { ok: true };
    if (!allowed.ok) {
      return refusalResponse(
        refuse(429, "session_rate", "Too many sessions opened; see --http-session-rate", {
          headers: { "Retry-After": String(Math.ceil(allowed.retryAfterMs / 1000)) },
        }).refusal,
      );
    }
    let admission: Awaited<ReturnType<Sessions["admit"]>>;
    try {
      admission = await sessions.admit(caller.owner, caller.client);
    } catch (error) {
      if (error instanceof AppError && error.code === "usage") {
        return refusalResponse(refuse(400, "settings", error.describe()).refusal);
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
    return await this.#deliver(session, bytes, value, caller, onFinished);
  }

  async #deliver(
    session: Session,
    bytes: Uint8Array,
    value: unknown,
    caller: Caller,
    onFinished?: () => Promise<void>,
  ): Promise<Response> {
    using _running = session.use();
    const { relay } = session.bridge;
    const message = readClientMessage(bytes);
    if (message.kind === "fault") {
      await onFinished?.();
      return rpcRefusal("message", 400, { id: message.id, error: message.error });
    }
    if (message.kind !== "request") {
      const cancelled = message.kind === "notification" && message.method === "notifications/cancelled"
        ? requestIdOf(message.params)
        : undefined;
      await relay.take(message, bytes);
      if (cancelled !== undefined) session.port.cancel(cancelled);
      return new Response(null, { status: 202 });
    }
    const refusal = message.method === "tools/call" ? this.#overRate(session, message.id, caller) : undefined;
    if (refusal !== undefined) return refusal;
    if (session.port.waitsFor(message.id)) {
      return refusalResponse(
        refuse(400, "request_id", `Request id ${JSON.stringify(message.id)} is in use`, {
          code: RPC_CODE.invalidRequest,
        })
          .refusal,
      );
    }
    const exchange = session.port.exchange({ id: message.id, progressToken: progressTokenOf(value) });
    if (onFinished !== undefined) void exchange.finished.then(onFinished);
    await relay.take(message, bytes);
    return await exchange.response;
  }

  #listen(request: Request, caller: Caller): Response {
    const accept = checkAccept(request);
    if (!accept.ok) return refusalResponse(accept.refusal);
    const found = this.#find(request, caller);
    if (!found.ok) return refusalResponse(found.refusal);
    const { port } = found.session;
    const lastEventId = request.headers.get("last-event-id");
    if (lastEventId !== null) {
      return port.resume(lastEventId) ??
        refusalResponse(
          refuse(400, "last_event_id", "Bad Request: Last-Event-ID names no event of this session").refusal,
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
    const version = checkProtocolVersion(request);
    return version.ok ? { ok: true, session } : version;
  }

  #overRate(session: Session, id: JsonRpcId, caller: Caller): Response | undefined {
    for (const key of [`session ${session.record.id}`, `client ${caller.client}`]) {
      const taken = this.#options.callRate?.take(key) ?? { ok: true };
      if (taken.ok) continue;
      const { retryAfterMs } = taken;
      const message = `Too many tool calls: wait ${retryAfterMs} ms; see --http-call-rate`;
      const error = { code: RPC_CODE.serverError, message, data: { retryAfterMs } };
      return rpcRefusal("call_rate", 200, { id, error });
    }
    return undefined;
  }
}

/** For a message that was read, so that its id is known. */
function rpcRefusal(
  reason: RefusalReason,
  status: number,
  answer: { readonly id: JsonRpcId | null; readonly error: JsonRpcError },
): Response {
  return new RefusalResponse(reason, JSON.stringify({ jsonrpc: "2.0", ...answer }), {
    status,
    headers: { "Content-Type": "application/json" },
  });
}

function isInitialize(value: unknown): boolean {
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
