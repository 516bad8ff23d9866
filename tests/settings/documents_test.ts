import assert from "node:assert/strict";
import { generatedDocuments } from "../../scripts/docs.ts";
import { settingsSchema } from "../../scripts/settings_schema.ts";
import { envName } from "../../src/settings/option.ts";
import { optionRows } from "../../src/settings/option_table.ts";
import { settingsFileKeys } from "../../src/settings/settings_file.ts";
import { upstreamFileKeys } from "../../src/settings/upstream_file.ts";

Deno.test("generatedDocuments() equal the documents of the project", async () => {
  for (const [path, text] of generatedDocuments()) {
    const present = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    assert.equal(present, text, `${path} is stale: run "deno task docs"`);
  }
});

Deno.test("generatedDocuments() explain every option with its flag and variables", () => {
  const page = generatedDocuments().get("docs/configuration.md") ?? "";
  for (const [key, option] of optionRows()) {
    assert.ok(page.includes(option.help.replaceAll("|", "\\|")), key);
    for (const env of option.env) {
      assert.ok(page.includes(`\`${envName(env)}\``), key);
    }
  }
});

Deno.test("settingsSchema() has exactly the keys that a settings file may have", () => {
  const schema = settingsSchema();
  assert.equal(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  assert.equal(schema["additionalProperties"], false);
  const properties = schema["properties"] as Record<string, Record<string, unknown>>;
  assert.deepEqual(Object.keys(properties).sort(), ["$schema", ...settingsFileKeys()].sort());
  const upstream = Object.keys(properties["upstream"]?.["properties"] ?? {});
  for (const key of upstreamFileKeys()) assert.ok(upstream.includes(key), key);
});

Deno.test("settingsSchema() describes each option as the parser takes it", () => {
  const properties = settingsSchema()["properties"] as Record<string, Record<string, unknown>>;
  assert.deepEqual(properties["browserEngine"]?.["enum"], ["cloak", "playwright", "auto"]);
  assert.equal(properties["drainTimeoutMs"]?.["type"], "integer");
  assert.equal(properties["drainTimeoutMs"]?.["minimum"], 0);
  assert.equal(properties["headless"]?.["default"], true);
  assert.equal(properties["extraArgs"]?.["type"], "array");
});
