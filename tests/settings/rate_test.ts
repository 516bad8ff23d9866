import assert from "node:assert/strict";
import { parseRate, rateProblem } from "../../src/settings/rate.ts";

Deno.test("parseRate() reads a count and a time", () => {
  assert.deepEqual(parseRate("100/60s"), { count: 100, perMs: 60_000 });
  assert.deepEqual(parseRate("5/s"), { count: 5, perMs: 1_000 });
  assert.deepEqual(parseRate("1000 / h"), { count: 1000, perMs: 3_600_000 });
  assert.deepEqual(parseRate("1/250ms"), { count: 1, perMs: 250 });
});

Deno.test("parseRate() has no limit for off and for nothing", () => {
  assert.equal(parseRate(undefined), undefined);
  assert.equal(parseRate("off"), undefined);
  assert.equal(rateProblem("off"), undefined);
});

Deno.test("rateProblem() shows the form", () => {
  for (const text of ["", "1", "/s", "1/", "0/s", "1/0s", "1.5/s", "-1/s", "1/d"]) {
    assert.match(rateProblem(text) ?? "", /"100\/60s"/, text);
  }
});
