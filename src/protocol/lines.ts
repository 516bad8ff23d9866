/**
 * Newline-delimited frames of the MCP stdio transport (MCP 2025-11-25, "stdio").
 */

const LF = 0x0a, CR = 0x0d;

export type Line =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  /** A line longer than allowed: its beginning, the rest is discarded. */
  | { readonly kind: "too_long"; readonly head: Uint8Array };

/** Takes one line; the next is read when it resolves. `false` ends the reading. */
export type TakeLine = (line: Line) => Promise<unknown>;

/** How much of an over-long line is kept to say what it was. */
const HEAD_BYTES = 4096;

/**
 * Splits a byte stream at newlines. Blank lines are dropped, a trailing carriage return is cut, and what
 * stands behind the last newline when the stream ends counts as a line. Working on bytes, it cannot tear a
 * character that arrives in pieces.
 *
 * Lines are handed to a function and not yielded: the frame of a suspended generator would keep the last one, of
 * a hundred megabytes perhaps, alive until the next.
 *
 * @param maxBytes longest line that is delivered whole
 */
export async function readLines(
  source: ReadableStream<Uint8Array>,
  maxBytes: number,
  take: TakeLine,
): Promise<void> {
  const splitter = new Splitter(maxBytes, take);
  for await (const chunk of source) if (!await splitter.feed(chunk)) return;
  await splitter.end();
}

class Splitter {
  #gathered = new Uint8Array();
  #size = 0;
  readonly #maxBytes: number;
  readonly #take: TakeLine;

  constructor(maxBytes: number, take: TakeLine) {
    this.#maxBytes = maxBytes;
    this.#take = take;
  }

  /** False when the taker wants no more. */
  async feed(chunk: Uint8Array): Promise<boolean> {
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(LF, from);
      if (newline < 0) break;
      const line = this.#cut(chunk.subarray(from, newline));
      from = newline + 1;
      if (!await this.#give(line)) return false;
    }
    if (from < chunk.length) this.#gather(chunk.subarray(from));
    return true;
  }

  /** Hands over what stands behind the last newline. */
  async end(): Promise<boolean> {
    return await this.#give(this.#cut(new Uint8Array()));
  }

  async #give(line: Line | undefined): Promise<boolean> {
    return line === undefined || await this.#take(line) !== false;
  }

  /** A line that lies in one chunk, as most do, is not copied. */
  #cut(last: Uint8Array): Line | undefined {
    if (this.#size > 0) this.#gather(last);
    const size = this.#size > 0 ? this.#size : last.length;
    const whole = this.#size > 0
      ? new Uint8Array(this.#gathered.buffer.transfer(Math.min(size, this.#gathered.length)))
      : last;
    this.#gathered = new Uint8Array();
    this.#size = 0;
    if (size > this.#maxBytes) return { kind: "too_long", head: whole.slice(0, HEAD_BYTES) };
    const bytes = trim(whole);
    return bytes.length === 0 ? undefined : { kind: "line", bytes };
  }

  /** One buffer that doubles: thousands of small ones would leave the allocator's heap in pieces. */
  #gather(part: Uint8Array): void {
    const size = this.#size + part.length;
    if (this.#size <= this.#maxBytes) {
      if (size > this.#gathered.length) {
        const capacity = Math.min(Math.max(size, this.#gathered.length * 2), this.#maxBytes + part.length);
        // Moved, not copied: the smaller buffer is gone at once, and no garbage.
        this.#gathered = new Uint8Array(this.#gathered.buffer.transfer(capacity));
      }
      this.#gathered.set(part, this.#size);
    } else {
      this.#gathered = this.#gathered.slice(0, HEAD_BYTES);
    }
    this.#size = size;
  }
}

function trim(bytes: Uint8Array): Uint8Array {
  const cut = bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
  return cut.some((byte) => byte !== 0x20 && byte !== 0x09) ? cut : new Uint8Array();
}
