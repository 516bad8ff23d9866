/**
 * One server-sent event stream of a session: what goes out while somebody listens, and what waits for whoever
 * comes back. Format: HTML Living Standard, "Server-sent events".
 */
import { type EventBudget, type StoredEvent } from "./event_budget.ts";

export interface EventStreamOptions {
  /** Names the stream within its session; goes into event ids. */
  readonly name: string;
  readonly budget: EventBudget;
  /** Milliseconds between comments that keep proxies from closing an idle connection; 0 for none. */
  readonly keepaliveMs: number;
}

/** What a listener that does not read may leave waiting before upstream is made to wait. */
const BACKLOG_BYTES = 1024 * 1024;

/** How long a client should wait before it comes back, told with the first event. */
const RETRY_MS = 1000;

/** Up to this size an event is joined into one piece, so that it leaves in one packet. */
const JOIN_BYTES = 64 * 1024;

const HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
} as const;

const encoder = new TextEncoder();
const KEEPALIVE = encoder.encode(":\n\n");
const END = encoder.encode("\n\n");

type Controller = ReadableStreamDefaultController<Uint8Array>;

interface Connection {
  readonly controller: Controller;
  readonly timer: ReturnType<typeof setInterval> | undefined;
  drained: PromiseWithResolvers<void> | undefined;
}

export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #events = new Map<number, StoredEvent>();
  #sequence = 0;
  #connection: Connection | undefined;
  #finished = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  get connected(): boolean {
    return this.#connection !== undefined;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** Sends one message, or keeps it for a listener to come. Resolves when there is room for more. */
  async send(bytes: Uint8Array): Promise<void> {
    const event = { sequence: ++this.#sequence, bytes };
    const connection = this.#connection;
    this.#options.budget.keep(this.#events, event, connection !== undefined);
    if (connection === undefined) return;
    this.#write(connection, event);
    if ((connection.controller.desiredSize ?? 0) > 0) return;
    connection.drained ??= Promise.withResolvers();
    await connection.drained.promise;
  }

  /**
   * Lets somebody listen, after whatever came behind the event of number `after`. A listener that is there already
   * is sent away: it is the same client, whose old connection has not been noticed dead.
   */
  connect(headers: HeadersInit, after?: number): Response {
    this.#disconnect(true);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => this.#open(controller, after),
      pull: () => {
        this.#connection?.drained?.resolve();
        if (this.#connection !== undefined) this.#connection.drained = undefined;
      },
      // A listener that goes away has not cancelled anything: what follows waits for it.
      cancel: () => this.#disconnect(false),
    }, new ByteLengthQueuingStrategy({ highWaterMark: BACKLOG_BYTES }));
    return new Response(body, {
      status: 200,
      headers: { ...HEADERS, ...Object.fromEntries(new Headers(headers)) },
    });
  }

  /** Whether a listener that has heard the event of number `after` would miss nothing. */
  keepsAllAfter(after: number): boolean {
    if (after > this.#sequence) return false;
    for (let sequence = after + 1; sequence <= this.#sequence; sequence++) {
      if (!this.#events.has(sequence)) return false;
    }
    return true;
  }

  /** Nothing more comes. What was not heard stays for a listener that comes back. */
  finish(): void {
    this.#finished = true;
    this.#disconnect(true);
  }

  /** Forgets everything. */
  close(): void {
    this.finish();
    this.#options.budget.release(this.#events);
  }

  #open(controller: Controller, after: number | undefined): void {
    const { keepaliveMs } = this.#options;
    const timer = keepaliveMs === 0 ? undefined : setInterval(() => this.#keepAlive(), keepaliveMs);
    if (timer !== undefined) Deno.unrefTimer(Number(timer));
    const connection: Connection = { controller, timer, drained: undefined };
    this.#connection = connection;
    if (after === undefined) {
      // An id from the start, so that a client can come back even before the first message.
      controller.enqueue(encoder.encode(`id: ${this.#idOf(this.#sequence)}\nretry: ${RETRY_MS}\ndata: \n\n`));
    }
    const missed = after ?? 0;
    for (const event of this.#events.values()) if (event.sequence > missed) this.#write(connection, event);
    if (this.#finished) this.#disconnect(true);
  }

  #write({ controller }: Connection, { sequence, bytes }: StoredEvent): void {
    const head = encoder.encode(`id: ${this.#idOf(sequence)}\ndata: `);
    if (bytes.length > JOIN_BYTES) {
      for (const part of [head, bytes, END]) controller.enqueue(part);
      return;
    }
    const joined = new Uint8Array(head.length + bytes.length + END.length);
    joined.set(head);
    joined.set(bytes, head.length);
    joined.set(END, head.length + bytes.length);
    controller.enqueue(joined);
  }

  #keepAlive(): void {
    const controller = this.#connection?.controller;
    if ((controller?.desiredSize ?? 0) > 0) controller?.enqueue(KEEPALIVE);
  }

  #disconnect(orderly: boolean): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#connection = undefined;
    clearInterval(connection.timer);
    connection.drained?.resolve();
    if (orderly) connection.controller.close();
  }

  #idOf(sequence: number): string {
    return `${this.#options.name}-${sequence}`;
  }
}

/** Stream and event number of a `Last-Event-ID`; undefined where we never gave such an id. */
export function parseEventId(id: string): { readonly name: string; readonly sequence: number } | undefined {
  const match = /^([a-z]\d*)-(\d{1,15})$/.exec(id);
  return match?.[1] === undefined ? undefined : { name: match[1], sequence: Number(match[2]) };
}
