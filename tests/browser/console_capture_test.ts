import assert from "node:assert/strict";
import { captureConsole, type ConsoleLike } from "../../src/browser/console_capture.ts";

function fakeConsole(): { readonly target: ConsoleLike; readonly printed: string[] } {
  const printed: string[] = [];
  const print = (...values: unknown[]): void => {
    printed.push(values.join(" "));
  };
  return { target: { log: print, info: print, debug: print, warn: print, error: print }, printed };
}

Deno.test("captureConsole() takes every method and gives it back", () => {
  const { target, printed } = fakeConsole();
  const before = { ...target };
  const taken: string[] = [];
  {
    using _ = captureConsole((text, method) => taken.push(`${method}: ${text}`), target);
    target.log("a", { b: 1 });
    target.error("c");
  }
  assert.deepEqual(taken, ["log: a { b: 1 }", "error: c"]);
  assert.deepEqual(printed, []);
  assert.deepEqual({ ...target }, before);
});

Deno.test("captureConsole() restores only after the last of several that overlap", () => {
  const { target, printed } = fakeConsole();
  const original = target.log;
  const taken: string[] = [];
  const first = captureConsole((text) => taken.push(`first ${text}`), target);
  const second = captureConsole((text) => taken.push(`second ${text}`), target);
  target.log("1");
  first[Symbol.dispose]();
  target.log("2");
  second[Symbol.dispose]();
  target.log("3");
  assert.deepEqual(taken, ["second 1", "second 2"]);
  assert.deepEqual(printed, ["3"]);
  assert.equal(target.log, original);
});

Deno.test("captureConsole() hands on to the one below when it ends", () => {
  const { target } = fakeConsole();
  const taken: string[] = [];
  using _ = captureConsole((text) => taken.push(`below ${text}`), target);
  captureConsole(() => {}, target)[Symbol.dispose]();
  target.warn("x");
  assert.deepEqual(taken, ["below x"]);
});
