import assert from "node:assert/strict";
import { FrameWriter } from "../../src/protocol/frame_writer.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

Deno.test("FrameWriter.send() keeps the order and joins small frames that wait together", async () => {
  const writes: string[] = [];
  const gate = Promise.withResolvers<void>();
  const writer = new FrameWriter({
    write: async (bytes) => {
      writes.push(new TextDecoder().decode(bytes));
      await gate.promise;
    },
    onFailure: () => assert.fail(),
    highWaterBytes: 1000,
  });
  for (const frame of ["a", "b", "c"]) await writer.send(encode(frame));
  assert.equal(writer.backlog, 6);
  gate.resolve();
  await writer.flushed();
  assert.deepEqual(writes, ["a\n", "b\nc\n"]);
  assert.equal(writer.backlog, 0);
});

Deno.test("FrameWriter.send() makes its caller wait above the high-water mark", async () => {
  const gate = Promise.withResolvers<void>();
  const writer = new FrameWriter({ write: () => gate.promise, onFailure: () => {}, highWaterBytes: 4 });
  await writer.send(encode("abc"));
  let resumed = false;
  const sent = writer.send(encode("d")).then(() => resumed = true);
  await Promise.resolve();
  assert.equal(resumed, false);
  gate.resolve();
  await sent;
});

Deno.test("FrameWriter.send() reports the first failure once and drops what follows", async () => {
  const failures: unknown[] = [];
  let writes = 0;
  const writer = new FrameWriter({
    write: () => {
      writes++;
      return Promise.reject(new Deno.errors.BrokenPipe());
    },
    onFailure: (error) => failures.push(error),
    highWaterBytes: 1,
  });
  await writer.send(encode("first"));
  await writer.send(encode("second"));
  assert.equal(failures.length, 1);
  assert.equal(writes, 1);
  assert.equal(writer.backlog, 0);
});
