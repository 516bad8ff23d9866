import assert from "node:assert/strict";
import fc from "fast-check";
import { type Line, readLines } from "../../src/protocol/lines.ts";

async function linesOf(chunks: readonly Uint8Array[], maxBytes = 1000): Promise<string[]> {
  const out: string[] = [];
  await readLines(ReadableStream.from(chunks), maxBytes, (line) => Promise.resolve(out.push(render(line))));
  return out;
}

function render(line: Line): string {
  return line.kind === "line" ? new TextDecoder().decode(line.bytes) : "too long";
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

Deno.test("readLines() drops blank lines and carriage returns and keeps an unfinished last line", async () => {
  assert.deepEqual(await linesOf([encode("a\r\n\n \t\nb c\n\r\nd")]), ["a", "b c", "d"]);
  assert.deepEqual(await linesOf([]), []);
});

Deno.test("readLines() is indifferent to how the bytes arrive", async () => {
  const text = fc.array(fc.string({ unit: "grapheme" }).map((line) => `x${line.replace(/[\r\n]/g, "")}x`));
  await fc.assert(fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (lines, size) => {
    const bytes = encode(lines.join("\n"));
    const chunks = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, i) => bytes.subarray(i * size, (i + 1) * size),
    );
    assert.deepEqual(await linesOf(chunks, 100_000), lines);
  }));
});

Deno.test("readLines() reports a line over the limit and goes on behind it", async () => {
  const long = "y".repeat(1001);
  assert.deepEqual(await linesOf([encode(`a\n${long}`), encode(`${long}\nb\n`)]), ["a", "too long", "b"]);
  assert.deepEqual(await linesOf([encode("z".repeat(1000) + "\n")]), ["z".repeat(1000)]);
});

Deno.test("readLines() ends when its taker wants no more", async () => {
  const taken: string[] = [];
  await readLines(ReadableStream.from([encode("a\nb\nc\n")]), 100, (line) => {
    taken.push(render(line));
    return Promise.resolve(taken.length < 2);
  });
  assert.deepEqual(taken, ["a", "b"]);
});
