import assert from "node:assert/strict";
import { unknownVariables } from "../../src/settings/unknown_variables.ts";
import { settle } from "./settle.ts";

Deno.test("unknownVariables() notes a mistyped variable with our prefix", () => {
  const notes = unknownVariables({
    CLOAK_PLAYWRIGHT_MCP_STEALTH_ARG: "false",
    PATH: "/bin",
    PLAYWRIGHT_MCP_X: "1",
  });
  assert.equal(notes.length, 1);
  assert.match(
    notes[0] ?? "",
    /CLOAK_PLAYWRIGHT_MCP_STEALTH_ARG .*did you mean "CLOAK_PLAYWRIGHT_MCP_STEALTH_ARGS"/,
  );
});

Deno.test("unknownVariables() knows every variable of the table", async () => {
  const { notices } = await settle({
    env: { CLOAK_PLAYWRIGHT_MCP_NO_SANDBOX: "true", CLOAK_PLAYWRIGHT_MCP_LOG_FORMAT: "json" },
  });
  assert.deepEqual(notices, []);
});
