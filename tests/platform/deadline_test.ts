import assert from "node:assert/strict";
import { settlesWithin } from "../../src/platform/deadline.ts";

Deno.test("settlesWithin() is true for whatever settles in time, and leaves no timer", async () => {
  assert.equal(await settlesWithin(Promise.resolve(1), 60_000), true);
  assert.equal(await settlesWithin(Promise.reject(new Error("x")), 60_000), true);
});

Deno.test("settlesWithin() is false for what does not", async () => {
  assert.equal(await settlesWithin(new Promise(() => {}), 1), false);
});
