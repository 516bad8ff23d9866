import assert from "node:assert/strict";
import { conflictingDebuggingArgument } from "../../src/browser/debugging_arguments.ts";

const FLAGS = [
  "--remote-debugging-port",
  "--remote-debugging-address",
  "--remote-debugging-pipe",
  "--remote-allow-origins",
];

Deno.test("conflictingDebuggingArgument() names the flag, bare or with a value, without the value", () => {
  for (const flag of FLAGS) {
    for (const argument of [flag, `${flag}=`, `${flag}=s3cret`, `${flag}=a=b`]) {
      assert.equal(conflictingDebuggingArgument(["--mute-audio", argument, "--x"]), flag, argument);
    }
  }
});

Deno.test("conflictingDebuggingArgument() knows the other ways in which Chromium reads a flag", () => {
  for (
    const argument of [
      "-remote-debugging-port=1",
      "/remote-debugging-port=1",
      "  --remote-debugging-port=1",
      "--Remote-Debugging-Port",
    ]
  ) {
    assert.equal(conflictingDebuggingArgument([argument]), "--remote-debugging-port", argument);
  }
});

Deno.test("conflictingDebuggingArgument() names the first of several", () => {
  assert.equal(
    conflictingDebuggingArgument(["--remote-allow-origins=*", "--remote-debugging-port=9222"]),
    "--remote-allow-origins",
  );
});

Deno.test("conflictingDebuggingArgument() passes look-alikes and everything else", () => {
  assert.equal(conflictingDebuggingArgument([]), undefined);
  for (
    const argument of [
      "--remote-debugging-portx",
      "--remote-debugging-portx=1",
      "--xremote-debugging-port=1",
      "--remote-debugging",
      "--remote-debugging-port:1",
      "---remote-debugging-port=1",
      "remote-debugging-port=1",
      "--x=--remote-debugging-port=1",
      "--x --remote-debugging-port=1",
      "",
      "=",
      "--",
    ]
  ) {
    assert.equal(conflictingDebuggingArgument([argument]), undefined, argument);
  }
});
