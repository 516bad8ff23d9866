import assert from "node:assert/strict";
import { createStderrSink } from "../../src/telemetry/stderr_sink.ts";

Deno.test("createStderrSink() writes whole lines even where a write takes only part", async () => {
  let text = "";
  const sink = createStderrSink((bytes) => {
    text += new TextDecoder().decode(bytes.subarray(0, 2));
    return Promise.resolve(Math.min(2, bytes.length));
  });
  sink.write("first");
  sink.write("second");
  await sink.flushed();
  assert.equal(text, "first\nsecond\n");
});

Deno.test("createStderrSink() drops lines instead of waiting for a reader", async () => {
  const gate = Promise.withResolvers<void>();
  let written = 0;
  const sink = createStderrSink(async (bytes) => {
    await gate.promise;
    written += bytes.length;
    return bytes.length;
  });
  const line = "x".repeat(99_999);
  for (let i = 0; i < 100; i++) sink.write(line);
  gate.resolve();
  await sink.flushed();
  assert.equal(written, 1_100_000);
});

Deno.test("createStderrSink() survives a reader that went away", async () => {
  const sink = createStderrSink(() => Promise.reject(new Deno.errors.BrokenPipe()));
  sink.write("one");
  sink.write("two");
  await sink.flushed();
});
