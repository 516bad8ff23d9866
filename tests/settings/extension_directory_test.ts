import assert from "node:assert/strict";
import { join } from "node:path";
import { extensionProblem } from "../../src/settings/extension_directory.ts";

Deno.test("extensionProblem() takes a directory with a manifest, and names what is wrong with any other", async () => {
  const root = await Deno.makeTempDir();
  const cases: readonly (readonly [manifest: string | undefined, problem: string | undefined])[] = [
    ['{"manifest_version": 3}', undefined],
    ['\uFEFF// comment\n{"manifest_version" : 3}', undefined],
    ["{}", 'its manifest.json names no "manifest_version"'],
    ["[]", 'its manifest.json names no "manifest_version"'],
    ["", "its manifest.json is not JSON"],
    [undefined, "it holds no manifest.json"],
  ];
  try {
    for (const [index, [manifest, problem]] of cases.entries()) {
      const directory = join(root, String(index));
      await Deno.mkdir(directory);
      if (manifest !== undefined) await Deno.writeTextFile(join(directory, "manifest.json"), manifest);
      assert.equal(await extensionProblem(directory), problem, manifest);
    }
    assert.equal(await extensionProblem(join(root, "nowhere")), "it does not exist");
    assert.equal(await extensionProblem(join(root, "0", "manifest.json")), "it is no directory");
    await Deno.mkdir(join(root, "odd", "manifest.json"), { recursive: true });
    assert.match(await extensionProblem(join(root, "odd")) ?? "", /^its manifest\.json cannot be used: /);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
