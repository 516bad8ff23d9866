import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { transform } from "sucrase";
import { loadUserModules, toCommonJs } from "../../src/upstream/user_modules.ts";

const asCommonJs = (code: string, file: string): string => toCommonJs(code, file, () => transform);

/** Writes files into a directory of its own and requires one of them as upstream does. */
async function requireFrom(files: Record<string, string>, name: string): Promise<Record<string, unknown>> {
  const directory = await Deno.makeTempDir();
  for (const [path, code] of Object.entries(files)) {
    await Deno.mkdir(`${directory}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${directory}/${path}`, code);
  }
  loadUserModules();
  try {
    return createRequire(import.meta.url)(`${directory}/${name}`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("toCommonJs() leaves CommonJS as it is, and loads no library for it", () => {
  const code = "const path = require('node:path');\nmodule.exports = { default: path };";
  const untouched = toCommonJs(code, "/x/page.js", () => {
    throw new Error("loaded");
  });
  assert.equal(untouched, code);
});

Deno.test("toCommonJs() strips types and module syntax and keeps the lines", () => {
  const code = [
    "import type { Page } from 'playwright';",
    "import { answer } from './answer.ts';",
    "export default (page: Page): number => answer satisfies number;",
  ].join("\n");
  const lines = asCommonJs(code, "/x/page.ts").split("\n");
  assert.equal(lines.length, 3);
  assert.match(lines[1] ?? "", /require\('\.\/answer\.ts'\)/);
  assert.match(lines[2] ?? "", /exports\. default = \(page\) => /);
});

Deno.test("toCommonJs() finds module syntax anywhere in a line", () => {
  assert.doesNotMatch(asCommonJs("const a=1;export{a as default}", "/x/page.js"), /export\{/);
});

Deno.test("toCommonJs() is not misled by CommonJS that looks like a module", () => {
  const code = "module.exports = { text: `\nimport a from 'b'\n` };";
  assert.equal(asCommonJs(code, "/x/page.js"), code);
});

Deno.test("loadUserModules() follows imports of every kind from a TypeScript page", async () => {
  const page = await requireFrom({
    "page.ts": `
      import { dirname, basename } from "node:path";
      import { answer, type Thing } from "./lib/answer.mts";
      import plain from "./plain.cjs";
      import fromPackage from "neighbour";
      import data from "./data.json" with { type: "json" };
      enum Colour { Red = 7 }
      export default (thing: Thing): unknown[] =>
        [thing, answer(), plain, fromPackage, data, Colour.Red, basename(import.meta.filename),
         import.meta.dirname === dirname(import.meta.filename), import.meta.url.startsWith("file://")];`,
    "lib/answer.mts":
      `import { base } from "../base.js";\nexport type Thing = string;\nexport const answer = (): number => base + 2;`,
    "base.js": "export const base = 40;",
    "plain.cjs": "module.exports = 'plain';",
    "data.json": '{ "read": true }',
    "node_modules/neighbour/package.json": '{ "name": "neighbour", "main": "main.js" }',
    "node_modules/neighbour/main.js": "module.exports = 'neighbour';",
  }, "page.ts");
  const run = page["default"] as (thing: string) => unknown;
  assert.deepEqual(run("thing"), [
    "thing",
    42,
    "plain",
    "neighbour",
    { read: true },
    7,
    "page.ts",
    true,
    true,
  ]);
});

Deno.test("loadUserModules() says where a module cannot be parsed", async () => {
  const broken = requireFrom(
    { "page.ts": "import './broken.ts';", "broken.ts": "\nconst a: = 1;" },
    "page.ts",
  );
  await assert.rejects(broken, /broken\.ts: Unexpected token \(2:10\)/);
});

Deno.test("loadUserModules() leaves npm packages of the program to the runtime", async () => {
  await requireFrom({ "page.cjs": "module.exports = 1;" }, "page.cjs");
  assert.equal(typeof (await import("sucrase")).transform, "function");
});
