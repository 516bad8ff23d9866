import assert from "node:assert/strict";
import { AppError } from "../../src/errors.ts";
import { prepareInitPages } from "../../src/upstream/init_page.ts";

async function refusal(path: string): Promise<AppError> {
  try {
    await prepareInitPages([path]);
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error;
  }
  throw new Error(`"${path}" was not refused`);
}

Deno.test("prepareInitPages() gives back pages that can be parsed, where they are", async () => {
  const directory = await Deno.makeTempDir();
  const pages = [`${directory}/typed.ts`, `${directory}/module.mjs`, `${directory}/common.cjs`];
  const codes = [
    "export default async ({ page }: { page: unknown }): Promise<void> => { void page; };",
    "export default async () => {};",
    "module.exports = { default: () => {} };",
  ];
  for (const [index, page] of pages.entries()) await Deno.writeTextFile(page, codes[index] ?? "");
  assert.deepEqual(await prepareInitPages(pages), pages);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("prepareInitPages() names the flag and a file that is not there", async () => {
  const error = await refusal("/nowhere/page.ts");
  assert.equal(error.code, "usage");
  assert.match(error.message, /"\/nowhere\/page\.ts" for --init-page/);
});

Deno.test("prepareInitPages() refuses a directory", async () => {
  const directory = await Deno.makeTempDir();
  assert.equal((await refusal(directory)).code, "usage");
  await Deno.remove(directory);
});

Deno.test("prepareInitPages() names file, line and column of a syntax error", async () => {
  const path = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(path, "export default () => {};\nconst wrong: = 1;\n");
  const { code, message } = await refusal(path);
  assert.equal(code, "usage");
  assert.equal(message, `Cannot parse "${path}" for --init-page: Unexpected token (2:14)`);
  await Deno.remove(path);
});
