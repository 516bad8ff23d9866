import assert from "node:assert/strict";
import { createRedactor } from "../../src/telemetry/redact.ts";

Deno.test("createRedactor() hides every occurrence of every secret", () => {
  const redact = createRedactor(["hunter2-long", undefined, "k-12345"]);
  assert.equal(redact("a hunter2-long b hunter2-long k-12345"), "a <hidden> b <hidden> <hidden>");
});

Deno.test("createRedactor() leaves texts alone without secrets worth hiding", () => {
  assert.equal(createRedactor([undefined, "", "abc"])("abc abc"), "abc abc");
});
