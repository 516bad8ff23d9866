import assert from "node:assert/strict";
import { argumentKey, mergeBrowserArguments } from "../../src/browser/browser_arguments.ts";

Deno.test("argumentKey() is the part before the first equals sign", () => {
  assert.equal(argumentKey("--lang=de"), "--lang");
  assert.equal(argumentKey("--js-flags=--a=1"), "--js-flags");
  assert.equal(argumentKey("--no-sandbox"), "--no-sandbox");
});

Deno.test("mergeBrowserArguments() lets the later argument take the place of the earlier one", () => {
  assert.deepEqual(
    mergeBrowserArguments(["--a=1", "--b"], ["--c", "--a=2"], ["--b", "--c"]),
    ["--a=2", "--b", "--c"],
  );
});
