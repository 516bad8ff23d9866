/**
 * A session's side of the client: finds a stream for every message that comes from upstream.
 *
 * An answer goes with its request, a progress notification with the request that owns its token; anything else takes
 * the client's GET stream when one is open, else the stream of a call in flight, else it waits for either
 * (MCP 2025-11-25, "Streamable HTTP", sending and listening).
 */
import type { ClientPort } from "../bridge/client_port.ts";
import { isJsonObject, type JsonRpcId } from "../protocol/json_rpc.ts";
import { scanEnvelope } from "../protocol/envelope.ts";
import { EventBudget } from "./event_budget.ts";
import { EventStream, parseEventId } from "./event_stream.ts";
import { PostExchange } from "./post_exchange.ts";

export interface SessionPortOptions {
  readonly keepaliveMs: number;
  /** Added to every answer, such as the session's id. */
  readonly headers: () => HeadersInit;
}

/** A request as far as routing needs it. */
export interface RoutedRequest {
  readonly id: JsonRpcId;
  readonly progressToken: unknown;
}

/** Messages that wait for a stream; the oldest are dropped beyond it. */
const MAX_WAITING = 100;

/** Finished streams that a client may still come back to. */
const MAX_FINISHED = 50;

/** How long a call is taken to be running that nobody waits for any more. */
const UNATTENDED_MS = 10 * 60_000;

/** Name of the stream of GET requests. */
const GET_STREAM = "g";

export class SessionPort implements ClientPort {
  readonly #options: SessionPortOptions;
  readonly #budget = new EventBudget();
  readonly #streams = new Map<string, EventStream>();
  readonly #exchanges = new Map<string, PostExchange>();
  readonly #tokens = new Map<string, { readonly exchange: PostExchange; readonly request: string }>();
  readonly #listener: EventStream;
  /** When somebody was last seen waiting for what is to come. */
  readonly #attendedAt = new WeakMap<PostExchange, number>();
  #waiting: Uint8Array[] = [];
  #count = 0;

  constructor(options: SessionPortOptions) {
    this.#options = options;
    this.#listener = this.#newStream(GET_STREAM);
  }

  /**
   * Whether a client listens, or a call runs. One whose client has gone away counts for a while only: it may never end.
   *
   * @param now milliseconds of a clock that never goes back
   */
  busy(now: number): boolean {
    let busy = this.#listener.connected;
    for (const exchange of new Set(this.#exchanges.values())) {
      if (exchange.attended) this.#attendedAt.set(exchange, now);
      const since = this.#attendedAt.get(exchange) ?? now;
      this.#attendedAt.set(exchange, since);
      busy ||= now - since < UNATTENDED_MS;
    }
    return busy;
  }

  /** Whether a GET stream is open. */
  get listening(): boolean {
    return this.#listener.connected;
  }

  send(bytes: Uint8Array): Promise<void> {
    const envelope = scanEnvelope(bytes);
    if (envelope?.kind === "response" && envelope.id !== null) return this.#answer(keyOf(envelope.id), bytes);
    const owner = envelope?.kind === "notification" && envelope.method === "notifications/progress"
      ? this.#tokens.get(progressTokenOf(bytes))
      : undefined;
    return owner === undefined ? this.#elsewhere(bytes) : owner.exchange.related(bytes);
  }

  /** Whether a request of this id has no answer yet. */
  waitsFor(id: JsonRpcId): boolean {
    return this.#exchanges.has(keyOf(id));
  }

  /**
   * Registers the requests that a POST carries; their answers come with the response.
   *
   * @param own how many answers the caller gives itself
   */
  exchange(requests: readonly RoutedRequest[], batch?: { readonly own: number }): PostExchange {
    const exchange = new PostExchange({
      stream: () => this.#newStream(`p${++this.#count}`),
      headers: this.#options.headers(),
      answers: requests.length + (batch?.own ?? 0),
      batch: batch !== undefined,
    });
    for (const { id, progressToken } of requests) {
      this.#exchanges.set(keyOf(id), exchange);
      if (progressToken !== undefined) {
        this.#tokens.set(JSON.stringify(progressToken), { exchange, request: keyOf(id) });
      }
    }
    this.#flush();
    return exchange;
  }

  /** The response to a GET. */
  listen(): Response {
    const response = this.#listener.connect(this.#options.headers());
    this.#flush();
    return response;
  }

  /** The response to a GET with `Last-Event-ID`; undefined where what came behind that event is not known. */
  resume(lastEventId: string): Response | undefined {
    const event = parseEventId(lastEventId);
    const stream = event === undefined ? undefined : this.#streams.get(event.name);
    return event !== undefined && stream?.keepsAllAfter(event.sequence)
      ? stream.connect(this.#options.headers(), event.sequence)
      : undefined;
  }

  /** Ends every stream. */
  close(): void {
    for (const exchange of this.#exchanges.values()) exchange.abandon();
    for (const stream of this.#streams.values()) stream.close();
    this.#exchanges.clear();
    this.#tokens.clear();
    this.#streams.clear();
    this.#waiting = [];
  }

  /** Ends the response of a request that its client has cancelled: there will be no answer. */
  cancel(id: JsonRpcId): void {
    this.#take(keyOf(id))?.withdraw();
  }

  async #answer(key: string, bytes: Uint8Array): Promise<void> {
    await this.#take(key)?.answer(bytes);
  }

  #take(key: string): PostExchange | undefined {
    const exchange = this.#exchanges.get(key);
    this.#exchanges.delete(key);
    for (const [token, { request }] of this.#tokens) if (request === key) this.#tokens.delete(token);
    return exchange;
  }

  async #elsewhere(bytes: Uint8Array): Promise<void> {
    const [inFlight] = this.#exchanges.values();
    if (this.#listener.connected) return await this.#listener.send(bytes);
    if (inFlight !== undefined) return await inFlight.related(bytes);
    this.#waiting.push(bytes);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const bytes of waiting) void this.#elsewhere(bytes);
  }

  #newStream(name: string): EventStream {
    const stream = new EventStream({ name, budget: this.#budget, keepaliveMs: this.#options.keepaliveMs });
    this.#streams.set(name, stream);
    const finished = [...this.#streams].filter(([, each]) => each.finished);
    for (const [old, each] of finished.slice(0, -MAX_FINISHED)) {
      each.close();
      this.#streams.delete(old);
    }
    return stream;
  }
}

function keyOf(id: JsonRpcId): string {
  return JSON.stringify(id);
}

function progressTokenOf(bytes: Uint8Array): string {
  const { params } = JSON.parse(new TextDecoder().decode(bytes));
  return JSON.stringify(isJsonObject(params) ? params["progressToken"] : undefined) ?? "";
}
