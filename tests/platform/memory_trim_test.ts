import assert from "node:assert/strict";
import { createMemoryTrim } from "../../src/platform/memory_trim.ts";

const MIB = 1024 * 1024;

Deno.test("createMemoryTrim() collects after a large message, a few times, and then no more", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let collections = 0;
  const trim = createMemoryTrim(() => {
    if (++collections === 3) resolve();
  });
  trim.afterMessage(20 * MIB);
  trim.afterMessage(20 * MIB);
  // The timers of the trim hold up nobody, so this one keeps the test alive.
  const alive = setInterval(() => {}, 1000);
  await promise;
  clearInterval(alive);
  assert.equal(collections, 3);
});

Deno.test("createMemoryTrim() does nothing for small messages or without a collector", () => {
  createMemoryTrim(() => assert.fail()).afterMessage(7 * MIB);
  createMemoryTrim(undefined).soon();
});
