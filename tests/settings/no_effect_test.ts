import assert from "node:assert/strict";
import { keysOfGroup, noteNoEffect } from "../../src/settings/no_effect.ts";
import { settle } from "./settle.ts";

Deno.test("keysOfGroup() names the options of one group", () => {
  assert.deepEqual(keysOfGroup("upstream"), ["upstreamConfigPath", "upstreamCommand", "maxMessageBytes"]);
});

Deno.test("noteNoEffect() names what some source sets, and says nothing where none does", async () => {
  const { origins } = await settle({
    flags: [{ flag: "--extra-args", value: "x" }],
    env: { PLAYWRIGHT_MCP_HEADLESS: "true" },
  });
  assert.deepEqual(noteNoEffect(["sandbox"], origins, " here"), []);
  assert.deepEqual(noteNoEffect(["sandbox", "extraArgs"], origins, " here"), [
    "--extra-args has no effect here",
  ]);
  assert.deepEqual(noteNoEffect(["headless", "extraArgs"], origins, ": why"), [
    "PLAYWRIGHT_MCP_HEADLESS, --extra-args have no effect: why",
  ]);
});
