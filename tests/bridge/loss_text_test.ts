import assert from "node:assert/strict";
import { lossText, lossTextForRequest } from "../../src/bridge/loss_text.ts";

const LOSS = { reason: "was ended by SIGKILL", lastWords: "boom" };

Deno.test("lossText() tells whether the call may have had an effect, and what to do", () => {
  const ran = lossText("browser_click", true, LOSS);
  assert.match(ran, /SIGKILL/);
  assert.match(ran, /"browser_click" was running, so whether it took effect is unknown/);
  assert.match(ran, /next browser call starts a fresh browser/);
  assert.match(ran, /boom$/);
  assert.match(lossText("browser_click", false, LOSS), /"browser_click" was not run/);
});

Deno.test("lossTextForRequest() names the method and leaves out an empty output", () => {
  const text = lossTextForRequest("resources/list", { ...LOSS, lastWords: "" });
  assert.match(text, /"resources\/list"/);
  assert.doesNotMatch(text, /output/);
});
