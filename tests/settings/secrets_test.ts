import assert from "node:assert/strict";
import { secretValues, secretVariables } from "../../src/settings/secrets.ts";
import { settle } from "./settle.ts";

Deno.test("secretValues() lists what no log may show", async () => {
  const { settings } = await settle({ env: { CLOAKBROWSER_LICENSE_KEY: "k-123456" } });
  assert.deepEqual(secretValues(settings), ["k-123456"]);
  assert.deepEqual(secretValues((await settle({})).settings), []);
});

Deno.test("secretVariables() lists what no child may inherit", () => {
  assert.deepEqual(secretVariables(), ["CLOAKBROWSER_LICENSE_KEY", "CLOAKBROWSER_LICENSE_KEY_FILE"]);
});
