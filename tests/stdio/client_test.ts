import assert from "node:assert/strict";
import { createStdioClient } from "../../src/stdio/client.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

Deno.test("createStdioClient() reads message by message and writes whole lines", async () => {
  let out = "";
  const client = createStdioClient({
    input: ReadableStream.from([encode('{"a":'), encode('1}\n\n{"b":2}')]),
    write: (bytes) => {
      out += new TextDecoder().decode(bytes.subarray(0, 3));
      return Promise.resolve(Math.min(3, bytes.length));
    },
  });
  const taken: string[] = [];
  await client.read(100, (bytes) => {
    taken.push(new TextDecoder().decode(bytes));
    return Promise.resolve();
  });
  assert.deepEqual(taken, ['{"a":1}', '{"b":2}']);
  await client.send(encode("answer"));
  await client.flushed();
  assert.equal(out, "answer\n");
});

Deno.test("createStdioClient() answers an over-long message and goes on", async () => {
  let out = "";
  const client = createStdioClient({
    input: ReadableStream.from([encode("x".repeat(50) + "\nshort\n")]),
    write: (bytes) => {
      out += new TextDecoder().decode(bytes);
      return Promise.resolve(bytes.length);
    },
  });
  const taken: string[] = [];
  await client.read(20, (bytes) => {
    taken.push(new TextDecoder().decode(bytes));
    return Promise.resolve();
  });
  await client.flushed();
  assert.deepEqual(taken, ["short"]);
  const answer = JSON.parse(out);
  assert.deepEqual([answer.id, answer.error.code], [null, -32600]);
  assert.match(answer.error.message, /20 bytes; see --max-message-bytes/);
});

Deno.test("createStdioClient() tells that the client is gone when a write fails", async () => {
  const client = createStdioClient({
    input: ReadableStream.from([]),
    write: () => Promise.reject(new Deno.errors.BrokenPipe()),
  });
  await client.send(encode("x"));
  await client.gone;
  await client.flushed();
});
