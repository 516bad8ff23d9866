import assert from "node:assert/strict";
import { closest, didYouMean } from "../../src/settings/suggest.ts";

const FLAGS = ["--headless", "--no-headless", "--host", "--caps", "--viewport-size", "browserEngine"];

Deno.test("closest() finds a mistyped name", () => {
  assert.equal(closest("--headles", FLAGS), "--headless");
  assert.equal(closest("--haedless", FLAGS), "--headless");
  assert.equal(closest("--viewportsize", FLAGS), "--viewport-size");
  assert.equal(closest("browser-engine", FLAGS), "browserEngine");
});

Deno.test("closest() stays silent when nothing is near", () => {
  assert.equal(closest("--zzz", FLAGS), undefined);
  assert.equal(closest("", FLAGS), undefined);
  assert.equal(closest("--x", []), undefined);
});

Deno.test("didYouMean() is a clause or nothing", () => {
  assert.equal(didYouMean("--cap", FLAGS), ' (did you mean "--caps"?)');
  assert.equal(didYouMean("--zzz", FLAGS), "");
});
