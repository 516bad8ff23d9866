import assert from "node:assert/strict";
import {
  camelCase,
  envName,
  GROUPS,
  kebabCase,
  negativeFlag,
  secretFileNames,
} from "../../src/settings/option.ts";
import { optionRows, OPTIONS } from "../../src/settings/option_table.ts";
import { parseTexts } from "../../src/settings/grammar.ts";

Deno.test("kebabCase() and camelCase() are each other's opposite", () => {
  assert.equal(kebabCase("userDataDir"), "user-data-dir");
  assert.equal(camelCase("user-data-dir"), "userDataDir");
  for (const [key] of optionRows()) assert.equal(camelCase(kebabCase(key)), key);
});

Deno.test("negativeFlag() puts no- before the name", () => {
  assert.equal(negativeFlag("--headless"), "--no-headless");
});

Deno.test("secretFileNames() derives flag, key and variables", () => {
  assert.deepEqual(secretFileNames("licenseKey", OPTIONS.licenseKey), {
    flag: "--license-key-file",
    key: "licenseKeyFile",
    env: ["CLOAKBROWSER_LICENSE_KEY_FILE"],
  });
  assert.deepEqual(secretFileNames("httpAuthTokens", OPTIONS.httpAuthTokens), {
    flag: "--http-auth-token-file",
    key: "httpAuthTokensFile",
    env: ["CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN_FILE"],
  });
});

Deno.test("OPTIONS gives every option a variable and a flag or secret file, and each name once", () => {
  const names: string[] = [];
  for (const [key, option] of optionRows()) {
    assert.ok(GROUPS.includes(option.group));
    assert.ok(option.env.length > 0, key);
    assert.ok(option.flag !== undefined || option.secret, key);
    assert.match(option.flag ?? "--x", /^--[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.doesNotMatch(option.help, /\.$/, `${key}: help ends without a period`);
    names.push(...option.env.map(envName), ...(option.flag ? [option.flag] : []), ...option.aliases ?? []);
    if (option.type === "boolean" && option.flag) names.push(negativeFlag(option.flag));
    if (option.secret) names.push(secretFileNames(key, option).flag, ...secretFileNames(key, option).env);
  }
  assert.equal(new Set(names).size, names.length);
});

Deno.test("OPTIONS has defaults that its own grammar takes", () => {
  for (const [key, option] of optionRows()) {
    if (
      typeof option.default !== "string" && typeof option.default !== "number" &&
      typeof option.default !== "boolean"
    ) {
      continue;
    }
    assert.deepEqual(
      parseTexts(option, [String(option.default)], "/"),
      { ok: true, value: option.default },
      key,
    );
  }
});
