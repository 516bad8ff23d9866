/**
 * The answer to one POST that carries requests, in whichever form fits: the answers alone and soon are
 * `application/json`; a notification before them, or a wait, makes it an event stream. More than one request in a POST
 * is a batch, which MCP 2025-03-26 has and no other version.
 *
 * JSON is the faster form everywhere (one write), and on Deno up to 2.7.14, whose server does not disable Nagle's
 * algorithm, by 40 ms.
 */
import { EventStream } from "./event_stream.ts";

/** A client must see headers within 200 ms; most answers come within a few. */
const DECISION_MS = 100;

export interface PostExchangeOptions {
  /** Makes the stream that takes over when the answer becomes one. */
  readonly stream: () => EventStream;
  readonly headers: HeadersInit;
  /** How many answers there will be. */
  readonly answers: number;
  /** Whether the answers go into an array (JSON-RPC 2.0, section 6). */
  readonly batch: boolean;
}

export class PostExchange {
  /** Resolves with what the client gets. */
  readonly response: Promise<Response>;
  /** Resolves when nothing more follows, in whichever form. */
  readonly finished: Promise<void>;
  readonly #options: PostExchangeOptions;
  readonly #finish: () => void;
  readonly #respond: (response: Response) => void;
  readonly #answers: Uint8Array[] = [];
  #left: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #decided = false;
  /** Once the answer has become a stream. */
  #stream: EventStream | undefined;

  constructor(options: PostExchangeOptions) {
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#respond = resolve;
    const end = Promise.withResolvers<void>();
    this.finished = end.promise;
    this.#finish = end.resolve;
    this.#options = options;
    this.#left = options.answers;
    this.#timer = setTimeout(() => this.#becomeStream(), DECISION_MS);
  }

  /** Whether a client waits for what is to come; one that has gone away may come back for it. */
  get attended(): boolean {
    return !this.#decided || this.#stream?.connected === true;
  }

  /** A message that belongs to the requests, but answers none. */
  async related(bytes: Uint8Array): Promise<void> {
    this.#becomeStream();
    await this.#stream?.send(bytes);
  }

  /** One of the answers; nothing follows the last. */
  async answer(bytes: Uint8Array): Promise<void> {
    this.#left--;
    if (this.#decided) {
      // Not finished before it is on its way: the end must not overtake it.
      await this.#stream?.send(bytes);
      if (this.#left === 0) this.#end();
      return;
    }
    this.#answers.push(bytes);
    if (this.#left === 0) this.#becomeJson();
  }

  /** One answer less will come, because its client has cancelled the request. */
  withdraw(): void {
    if (--this.#left > 0) return;
    this.#becomeStream();
    this.#end();
  }

  /** The session is over: whoever still listens sees the end. */
  abandon(): void {
    this.#finish();
    this.#becomeStream();
    this.#stream?.close();
  }

  #end(): void {
    this.#finish();
    this.#stream?.finish();
  }

  #becomeJson(): void {
    this.#decide();
    this.#finish();
    const { headers, batch } = this.#options;
    const [first] = this.#answers;
    const body = batch || first === undefined ? new Blob(arrayOf(this.#answers)) : first;
    this.#respond(
      new Response(body as BodyInit, {
        status: 200,
        headers: {
          "Content-Type": "application/json",
          "Cache-Control": "no-store",
          ...Object.fromEntries(new Headers(headers)),
        },
      }),
    );
  }

  #becomeStream(): void {
    if (this.#decided) return;
    this.#decide();
    const stream = this.#options.stream();
    this.#stream = stream;
    this.#respond(stream.connect(this.#options.headers));
    for (const answer of this.#answers) void stream.send(answer);
  }

  #decide(): void {
    this.#decided = true;
    clearTimeout(this.#timer);
  }
}

/** The pieces of a JSON array. */
function arrayOf(items: readonly Uint8Array[]): BlobPart[] {
  return ["[", ...items.flatMap((item, at) => at === 0 ? [item] : [",", item]), "]"] as BlobPart[];
}
