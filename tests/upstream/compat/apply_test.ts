import assert from "node:assert/strict";
import { neededRepairs } from "../../../src/upstream/compat/apply.ts";

Deno.test("neededRepairs() repairs node:net and node:http up to Deno 2.7.13", () => {
  for (const version of ["2.7.11", "2.7.13", "2.6.20"]) {
    const needed = neededRepairs({ version, standalone: false });
    assert.ok(needed.includes("unix_socket") && needed.includes("http_lookup"), version);
  }
  for (const version of ["2.7.14", "2.8.0", "2.9.6", "2.10.0", "3.0.0"]) {
    const needed = neededRepairs({ version, standalone: false });
    assert.ok(!needed.includes("unix_socket") && !needed.includes("http_lookup"), version);
  }
});

Deno.test("neededRepairs() takes a pre-release for the version it leads to", () => {
  assert.ok(!neededRepairs({ version: "2.7.14-rc.1+abc", standalone: false }).includes("unix_socket"));
});

Deno.test("neededRepairs() sends upstream's scripts to the program itself only where it is compiled", () => {
  assert.ok(neededRepairs({ version: "2.9.6", standalone: true }).includes("package_scripts"));
  assert.ok(!neededRepairs({ version: "2.9.6", standalone: false }).includes("package_scripts"));
});
