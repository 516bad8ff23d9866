import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { newCapability, sameCapability } from "../../src/cdp/capability.ts";

Deno.test("newCapability() gives 43 characters of base64url, never the same twice", () => {
  const seen = new Set(Array.from({ length: 1000 }, newCapability));
  assert.equal(seen.size, 1000);
  for (const capability of seen) {
    assert.match(capability, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(Buffer.from(capability, "base64url").length, 32);
  }
});

Deno.test("sameCapability() takes the live one and nothing else", () => {
  const live = newCapability();
  assert.ok(sameCapability(live, live));
  const wrong = [
    newCapability(),
    "",
    live.slice(0, 42),
    `${live}A`,
    live.toLowerCase() === live ? live.toUpperCase() : live.toLowerCase(),
    `${live.slice(0, 42)}=`,
    "é".repeat(43),
  ];
  for (const given of wrong) assert.equal(sameCapability(given, live), false, given);
});

Deno.test("sameCapability() refuses another spelling of the same bytes", () => {
  const live = `${"A".repeat(42)}E`;
  const other = `${"A".repeat(42)}F`;
  assert.deepEqual(Buffer.from(live, "base64url"), Buffer.from(other, "base64url"));
  assert.ok(sameCapability(live, live));
  assert.equal(sameCapability(other, live), false);
});

Deno.test("sameCapability() finds none while none is live", () => {
  assert.equal(sameCapability(newCapability(), undefined), false);
  // What is compared instead must not open anything either.
  assert.equal(sameCapability("A".repeat(43), undefined), false);
  assert.equal(sameCapability("", undefined), false);
});
