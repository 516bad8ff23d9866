import assert from "node:assert/strict";
import { secretValues, secretVariables } from "../../src/settings/secrets.ts";
import { settle } from "./settle.ts";

Deno.test("secretValues() lists what no log may show", async () => {
  const { settings } = await settle({ env: { CLOAKBROWSER_LICENSE_KEY: "k-123456" } });
  assert.deepEqual(secretValues(settings), ["k-123456"]);
  const tokens = await settle({ env: { CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN: "one-1,two-2" } });
  assert.deepEqual(secretValues(tokens.settings), ["one-1", "two-2"]);
  assert.deepEqual(secretValues((await settle({})).settings), []);
});

Deno.test("secretVariables() lists what no child may inherit", () => {
  const license = ["CLOAKBROWSER_LICENSE_KEY", "CLOAKBROWSER_LICENSE_KEY_FILE"];
  const tokens = ["CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN", "CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN_FILE"];
  const passphrase = ["CLOAK_PLAYWRIGHT_MCP_HTTPS_PASSPHRASE", "CLOAK_PLAYWRIGHT_MCP_HTTPS_PASSPHRASE_FILE"];
  const context = ["CLOAK_PLAYWRIGHT_MCP_CONTEXT_OPTIONS", "CLOAK_PLAYWRIGHT_MCP_CONTEXT_OPTIONS_FILE"];
  assert.deepEqual(secretVariables().sort(), [...license, ...tokens, ...passphrase, ...context].sort());
});
