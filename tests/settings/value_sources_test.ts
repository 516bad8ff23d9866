import assert from "node:assert/strict";
import { inFile, refusals, settle } from "./settle.ts";

const KEY = "secret-key-123";

Deno.test("giveValue() takes a secret from its variable, trimmed", async () => {
  const { settings } = await settle({ env: { CLOAKBROWSER_LICENSE_KEY: ` ${KEY}\n` } });
  assert.equal(settings.licenseKey, KEY);
});

Deno.test("giveValue() takes a secret from a file that flag, variable or settings file name", async () => {
  const files = { "/srv/site/here/key": `${KEY}\n`, "/etc/mcp/key": `${KEY}\r\n` };
  const byFlag = await settle({ flags: [{ flag: "--license-key-file", value: "key" }], files });
  assert.equal(byFlag.settings.licenseKey, KEY);
  assert.deepEqual(byFlag.origins.licenseKey, { kind: "flag", name: "--license-key-file" });

  const byEnv = await settle({ env: { CLOAKBROWSER_LICENSE_KEY_FILE: "key" }, files });
  assert.equal(byEnv.settings.licenseKey, KEY);
  assert.deepEqual(byEnv.origins.licenseKey, { kind: "env", name: "CLOAKBROWSER_LICENSE_KEY_FILE" });

  const file = inFile({ licenseKeyFile: "key" });
  const byFile = await settle({ env: file.env ?? {}, files: { ...file.files, ...files } });
  assert.equal(byFile.settings.licenseKey, KEY);
});

Deno.test("giveValue() refuses a secret file that cannot be read or is empty", async () => {
  const missing = await refusals({ env: { CLOAKBROWSER_LICENSE_KEY_FILE: "/none" } });
  assert.deepEqual(missing, ['Cannot read "/none" for CLOAKBROWSER_LICENSE_KEY_FILE: it does not exist']);
  const empty = await refusals({ env: { CLOAKBROWSER_LICENSE_KEY_FILE: "/k" }, files: { "/k": " \n" } });
  assert.match(empty.join(), /must not be blank/);
  const blank = await refusals({ env: { CLOAKBROWSER_LICENSE_KEY_FILE: " " } });
  assert.match(blank.join(), /CLOAKBROWSER_LICENSE_KEY_FILE/);
});

Deno.test("giveValue() refuses a secret and a file for it from one source", async () => {
  const byEnv = await refusals({
    env: { CLOAKBROWSER_LICENSE_KEY: KEY, CLOAKBROWSER_LICENSE_KEY_FILE: "/k" },
    files: { "/k": KEY },
  });
  assert.match(byEnv.join(), /CLOAKBROWSER_LICENSE_KEY together with CLOAKBROWSER_LICENSE_KEY_FILE/);
  assert.match((await refusals(inFile({ licenseKey: KEY, licenseKeyFile: "x" }))).join(), /together/);
});

Deno.test("giveValue() never repeats a secret in a message", async () => {
  const problems = [
    ...await refusals({ env: { CLOAKBROWSER_LICENSE_KEY: KEY, CLOAKBROWSER_LICENSE_KEY_FILE: "/k" } }),
    ...await refusals(inFile({ licenseKey: [KEY] })),
    ...await refusals(inFile({ licenseKeyFile: [KEY] })),
  ];
  assert.equal(problems.length, 3);
  for (const problem of problems) assert.ok(!problem.includes(KEY), problem);
});
