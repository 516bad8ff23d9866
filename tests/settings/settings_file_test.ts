import assert from "node:assert/strict";
import { parseSettingsFile, settingsFileKeys } from "../../src/settings/settings_file.ts";

Deno.test("parseSettingsFile() takes comments, trailing commas, a byte order mark and $schema", () => {
  const { file, problems } = parseSettingsFile(
    "/s.jsonc",
    `\uFEFF// first\n{ "$schema": "./x.json", /* second */ "headless": false, "upstream": { "caps": "pdf", }, }\n`,
  );
  assert.deepEqual(problems, []);
  assert.deepEqual([...file.values], [["headless", false]]);
  assert.deepEqual([...file.upstream], [["caps", "pdf"]]);
});

Deno.test("parseSettingsFile() names line and column of a syntax error", () => {
  const cases: [text: string, place: string][] = [
    ['{\n  "headless" true\n}', "line 2, column 14"],
    ['{\r\n  "headless": tru\r\n}', "line 2, column 15"],
    ["", "line 1, column 1"],
    ["{", "line 1, column 2"],
    ['{"a": 1} x', "line 1, column 10"],
  ];
  for (const [text, place] of cases) {
    const { problems } = parseSettingsFile("/s.jsonc", text);
    assert.equal(problems.length, 1, text);
    assert.ok(problems[0]?.startsWith(`Cannot read /s.jsonc, ${place}: `), problems[0]);
  }
});

Deno.test("parseSettingsFile() wants one object", () => {
  for (const text of ["[]", "null", '"x"', "1"]) {
    assert.match(parseSettingsFile("/s", text).problems.join(), /must hold one JSON object/);
  }
});

Deno.test("parseSettingsFile() refuses unknown keys with a suggestion", () => {
  const { problems } = parseSettingsFile(
    "/s",
    '{"browserEngin": "auto", "constructor": 1, "zzzzzz": 1, "settingsPath": "x"}',
  );
  assert.equal(problems.length, 4);
  assert.match(problems[0] ?? "", /"browserEngin" in \/s \(did you mean "browserEngine"\?\)/);
  assert.match(problems[1] ?? "", /"constructor"/);
  assert.doesNotMatch(problems[2] ?? "", /did you mean/);
});

Deno.test("parseSettingsFile() refuses a key that stands twice", () => {
  const { problems } = parseSettingsFile("/s", '{"headless": true,\n "headless": false}');
  assert.match(problems.join(), /"headless" in \/s, line 2, column 2: it stands there twice/);
});

Deno.test("parseSettingsFile() is not misled by a key named __proto__", () => {
  const { problems } = parseSettingsFile("/s", '{"__proto__": {"headless": false}}');
  assert.match(problems.join(), /"__proto__"/);
});

Deno.test("parseSettingsFile() wants an object under upstream", () => {
  for (const value of ["[]", "null", '"caps"', "1"]) {
    assert.match(parseSettingsFile("/s", `{"upstream": ${value}}`).problems.join(), /"upstream" in \/s/);
  }
});

Deno.test("settingsFileKeys() leaves out what only the command line can say", () => {
  const keys = settingsFileKeys();
  assert.ok(keys.includes("licenseKeyFile") && keys.includes("upstream"));
  assert.ok(!keys.includes("settingsPath"));
});
