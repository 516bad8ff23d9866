/**
 * The answer to one POST that carries a request, in whichever form fits: the final answer alone and soon is
 * `application/json`; a notification before it, or a wait, makes it an event stream.
 *
 * JSON is the faster form everywhere (one write), and on Deno up to 2.7.14, whose server does not disable Nagle's
 * algorithm, by 40 ms.
 */
import { EventStream } from "./event_stream.ts";

/** A client must see headers within 200 ms; most answers come within a few. */
const DECISION_MS = 100;

export class PostExchange {
  /** Resolves with what the client gets. */
  readonly response: Promise<Response>;
  /** Resolves when nothing more follows, in whichever form. */
  readonly finished: Promise<void>;
  readonly #finish: () => void;
  readonly #respond: (response: Response) => void;
  readonly #stream: EventStream;
  readonly #headers: HeadersInit;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #decided = false;

  /** @param stream takes over when the answer becomes an event stream */
  constructor(stream: EventStream, headers: HeadersInit) {
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#respond = resolve;
    const end = Promise.withResolvers<void>();
    this.finished = end.promise;
    this.#finish = end.resolve;
    this.#stream = stream;
    this.#headers = headers;
    this.#timer = setTimeout(() => this.#becomeStream(), DECISION_MS);
  }

  /** A message that belongs to the request, but does not answer it. */
  related(bytes: Uint8Array): Promise<void> {
    this.#becomeStream();
    return this.#stream.send(bytes);
  }

  /** The answer; nothing follows it. */
  async answer(bytes: Uint8Array): Promise<void> {
    this.#finish();
    if (!this.#decided) {
      this.#decide();
      this.#respond(
        new Response(bytes as Uint8Array<ArrayBuffer>, {
          status: 200,
          headers: {
            "Content-Type": "application/json",
            "Cache-Control": "no-store",
            ...Object.fromEntries(new Headers(this.#headers)),
          },
        }),
      );
      this.#stream.close();
      return;
    }
    await this.#stream.send(bytes);
    this.#stream.finish();
  }

  /** The session is over: whoever still listens sees the end. */
  abandon(): void {
    this.#finish();
    this.#becomeStream();
    this.#stream.close();
  }

  #becomeStream(): void {
    if (this.#decided) return;
    this.#decide();
    this.#respond(this.#stream.connect(this.#headers));
  }

  #decide(): void {
    this.#decided = true;
    clearTimeout(this.#timer);
  }
}
