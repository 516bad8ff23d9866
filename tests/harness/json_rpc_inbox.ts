/**
 * Lines that have come from a JSON-RPC peer, and waiting for one that is wanted.
 */

// deno-lint-ignore no-explicit-any -- tests look into messages whose shape is what they test
export type Message = any;

export interface ReceivedLine {
  /** Text of the line; of one longer than `RAW_LIMIT` only the beginning. */
  readonly raw: string;
  readonly byteLength: number;
  /** Parsed JSON, undefined when it is none. */
  readonly message: Message;
  /** `performance.now()` at arrival. */
  readonly at: number;
}

const RAW_LIMIT = 1024 * 1024;

interface Waiter {
  readonly wanted: (message: Message) => boolean;
  readonly resolve: (line: ReceivedLine) => void;
  readonly reject: (error: Error) => void;
}

export class Inbox {
  readonly lines: ReceivedLine[] = [];
  readonly #waiters = new Set<Waiter>();
  #closed: Error | undefined;

  add(bytes: Uint8Array): void {
    const text = new TextDecoder().decode(bytes);
    let message: Message;
    try {
      message = JSON.parse(text);
    } catch {
      message = undefined;
    }
    const raw = text.length > RAW_LIMIT ? text.slice(0, 1024) : text;
    const line = { raw, byteLength: bytes.length, message, at: performance.now() };
    this.lines.push(line);
    for (const waiter of this.#waiters) {
      if (!isObject(message) || !waiter.wanted(message)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(line);
    }
  }

  /** No more lines will come: whoever still waits is told so. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const waiter of this.#waiters) waiter.reject(reason);
    this.#waiters.clear();
  }

  /** The first line, from index `from` on, whose message is wanted. */
  next(wanted: (message: Message) => boolean, from = 0): Promise<ReceivedLine> {
    const found = this.lines.slice(from).find((line) => isObject(line.message) && wanted(line.message));
    if (found !== undefined) return Promise.resolve(found);
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => this.#waiters.add({ wanted, resolve, reject }));
  }

  /** Messages that are wanted among those that have come. */
  all(wanted: (message: Message) => boolean): Message[] {
    return this.lines.map((line) => line.message).filter((message) => isObject(message) && wanted(message));
  }
}

/** Whether a line is something that can be asked for its members; noise may be any JSON. */
function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
