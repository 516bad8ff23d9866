import assert from "node:assert/strict";
import fc from "fast-check";
import { TokenBuckets } from "../../src/http/token_bucket.ts";

function buckets(
  count: number,
  perMs: number,
  maxKeys?: number,
): { readonly all: TokenBuckets; readonly clock: { now: number } } {
  const clock = { now: 1_000_000 };
  const rate = { count, perMs };
  const all = new TokenBuckets({ rate, now: () => clock.now, ...(maxKeys === undefined ? {} : { maxKeys }) });
  return { all, clock };
}

Deno.test("TokenBuckets lets the whole count through at once and then tells when to come back", () => {
  const { all, clock } = buckets(3, 60_000);
  for (let call = 0; call < 3; call++) assert.deepEqual(all.take("a"), { ok: true });
  assert.deepEqual(all.take("a"), { ok: false, retryAfterMs: 20_000 });
  clock.now += 19_000;
  assert.deepEqual(all.take("a"), { ok: false, retryAfterMs: 1_000 });
  clock.now += 1_000;
  assert.deepEqual(all.take("a"), { ok: true });
  assert.equal(all.take("a").ok, false);
});

Deno.test("TokenBuckets counts each key by itself", () => {
  const { all } = buckets(1, 1_000);
  assert.ok(all.take("a").ok);
  assert.ok(all.take("b").ok);
  assert.ok(!all.take("a").ok);
});

Deno.test("TokenBuckets does not save up more than the count", () => {
  const { all, clock } = buckets(2, 1_000);
  all.take("a");
  clock.now += 1_000_000;
  assert.deepEqual([1, 2, 3].map(() => all.take("a").ok), [true, true, false]);
});

Deno.test("TokenBuckets forgets keys that are idle, and any over its bound", () => {
  const { all, clock } = buckets(5, 1_000, 3);
  all.take("a");
  all.take("b");
  clock.now += 1_000;
  all.take("c");
  assert.equal(all.size, 1);
  for (const key of ["d", "e", "f", "g"]) all.take(key);
  assert.equal(all.size, 3);
  all.delete("g");
  assert.equal(all.size, 2);
});

Deno.test("TokenBuckets lets whoever waits as told through, as a property", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 100_000 }), (count, perMs) => {
      const { all, clock } = buckets(count, perMs);
      for (let call = 0; call < count; call++) assert.ok(all.take("a").ok);
      const denied = all.take("a");
      assert.ok(!denied.ok);
      clock.now += denied.retryAfterMs;
      assert.ok(all.take("a").ok);
    }),
  );
});
