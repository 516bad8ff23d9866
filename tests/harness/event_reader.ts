/** Reads server-sent events by hand (HTML Living Standard, "Server-sent events"), so that a test sees every line. */
import { LineSplitter } from "./line_splitter.ts";
import { within } from "./until.ts";

export interface ServerEvent {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly retry: number | undefined;
  readonly data: string;
}

const DEFAULT_WITHIN_MS = 15_000;

export class EventReader {
  /** Comments so far, keep-alive ones among them. */
  comments = 0;
  /** Id of the last event that had one: what a client comes back with. */
  lastEventId: string | undefined;
  readonly #events: AsyncGenerator<ServerEvent>;
  readonly #body: ReadableStreamDefaultReader<Uint8Array>;

  /** @throws Error where the response is no event stream */
  constructor(response: Response) {
    const type = response.headers.get("content-type");
    if (type !== "text/event-stream" || response.body === null) {
      throw new Error(`No event stream but ${response.status} ${type}`);
    }
    this.#body = response.body.getReader();
    this.#events = this.#read();
  }

  /** The next event with data; undefined at the end of the stream. */
  async next(withinMs = DEFAULT_WITHIN_MS): Promise<ServerEvent | undefined> {
    for (;;) {
      const event = await this.nextOfAny(withinMs);
      if (event === undefined || event.data !== "") return event;
    }
  }

  /** The very next event, also one without data. */
  async nextOfAny(withinMs = DEFAULT_WITHIN_MS): Promise<ServerEvent | undefined> {
    const { done, value } = await within("event of the stream", this.#events.next(), withinMs);
    return done ? undefined : value;
  }

  /** All events with data up to the end of the stream. */
  async rest(): Promise<ServerEvent[]> {
    const events: ServerEvent[] = [];
    for await (const event of this.#events) if (event.data !== "") events.push(event);
    return events;
  }

  /** Closes the connection, as a client that goes away does. */
  async cancel(): Promise<void> {
    await this.#body.cancel().catch(() => {}); // the server may have gone first
  }

  async *#read(): AsyncGenerator<ServerEvent> {
    const splitter = new LineSplitter();
    const decoder = new TextDecoder();
    let fields: { id?: string; type?: string; retry?: number; data: string[] } = { data: [] };
    for (let read = await this.#body.read(); !read.done; read = await this.#body.read()) {
      for (const bytes of splitter.push(read.value)) {
        const line = decoder.decode(bytes);
        if (line === "") {
          if (fields.id !== undefined) this.lastEventId = fields.id;
          const { id, type, retry, data } = fields;
          if (id !== undefined || data.length > 0) yield { id, type, retry, data: data.join("\n") };
          fields = { data: [] };
          continue;
        }
        const colon = line.indexOf(":");
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
        if (name === "") this.comments++;
        else if (name === "id") fields.id = value;
        else if (name === "event") fields.type = value;
        else if (name === "retry") fields.retry = Number(value);
        else if (name === "data") fields.data.push(value);
      }
    }
  }
}
