import assert from "node:assert/strict";
import { compileArguments } from "../../../scripts/build/compile.ts";

const PLAIN = { config: "c", output: "o", target: undefined, includes: [], excludes: [] };

Deno.test("compileArguments() gives the permissions one by one", () => {
  const permissions = compileArguments(PLAIN).filter((arg) => /^(-A$|--allow)/.test(arg));
  assert.deepEqual(
    permissions.toSorted(),
    ["env", "net", "read", "run", "sys", "write"].map((name) => `--allow-${name}`),
  );
});

Deno.test("compileArguments() asks nobody for more, and keeps no code in a shared directory", () => {
  const args = compileArguments(PLAIN);
  assert.ok(args.includes("--no-prompt"));
  assert.ok(args.includes("--no-code-cache"));
});

Deno.test("compileArguments() names a target only when there is one, and main.ts last", () => {
  assert.ok(!compileArguments(PLAIN).includes("--target"));
  const args = compileArguments({
    ...PLAIN,
    target: "aarch64-apple-darwin",
    includes: ["a.ts", "b"],
    excludes: ["x"],
  });
  assert.deepEqual(args.slice(args.indexOf("--include")), [
    ...["--include", "a.ts", "--include", "b", "--exclude", "x"],
    ...["--target", "aarch64-apple-darwin", "--output", "o", "main.ts"],
  ]);
});
