/**
 * Newline-delimited frames of the MCP stdio transport (MCP 2025-11-25, "stdio").
 */

const LF = 0x0a, CR = 0x0d;

export type Line =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  /** A line longer than allowed: its beginning, the rest is discarded. */
  | { readonly kind: "too_long"; readonly head: Uint8Array };

/** How much of an over-long line is kept to say what it was. */
const HEAD_BYTES = 4096;

/**
 * Splits a byte stream at newlines. Blank lines are dropped, a trailing carriage return is cut, and what
 * stands behind the last newline when the stream ends counts as a line. Working on bytes, it cannot tear a
 * character that arrives in pieces.
 *
 * @param maxBytes longest line that is delivered whole
 */
export async function* readLines(source: ReadableStream<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let overflow: Uint8Array | undefined;
  const add = (part: Uint8Array): void => {
    size += part.length;
    if (overflow !== undefined) return;
    parts.push(part);
    if (size > maxBytes) {
      overflow = concat(parts).slice(0, HEAD_BYTES);
      parts = [];
    }
  };
  const take = (): Line | undefined => {
    const head = overflow;
    const bytes = head === undefined ? trim(concat(parts)) : undefined;
    parts = [];
    size = 0;
    overflow = undefined;
    if (bytes === undefined) return head === undefined ? undefined : { kind: "too_long", head };
    return bytes.length === 0 ? undefined : { kind: "line", bytes };
  };
  for await (const chunk of source) {
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(LF, from);
      if (newline < 0) break;
      add(chunk.subarray(from, newline));
      from = newline + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  const last = take();
  if (last !== undefined) yield last;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function trim(bytes: Uint8Array): Uint8Array {
  const cut = bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
  return cut.some((byte) => byte !== 0x20 && byte !== 0x09) ? cut : new Uint8Array();
}
