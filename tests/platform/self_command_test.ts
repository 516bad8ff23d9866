import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { PERMISSION_FLAGS, selfCommand } from "../../src/platform/self_command.ts";

Deno.test("selfCommand() is the executable itself in a compiled program", () => {
  assert.deepEqual(selfCommand(true), { command: Deno.execPath(), args: [] });
});

Deno.test("selfCommand() is Deno with the main module of this tree from source", () => {
  const { command, args } = selfCommand(false);
  assert.equal(command, Deno.execPath());
  assert.equal(args[0], "run");
  assert.equal(args.at(-1), fileURLToPath(new URL("../../main.ts", import.meta.url)));
});

Deno.test("selfCommand() gives a child from source the permissions of the start task", async () => {
  const manifest = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  const start: string = manifest.tasks.start.command;
  assert.deepEqual(start.split(" ").filter((word) => /^--(allow|no-prompt)/.test(word)), [
    ...PERMISSION_FLAGS,
  ]);
});
