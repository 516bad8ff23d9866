import assert from "node:assert/strict";
import { versionReport, versionText } from "../../src/cli/version_report.ts";

Deno.test("versionReport() names what is inside", () => {
  const report = versionReport();
  assert.equal(report.deno, Deno.version.deno);
  assert.equal(report.upstream.package, "@playwright/mcp");
  assert.match(report.upstream.version, /^\d+\.\d+\.\d+$/);
  assert.match(report.playwrightCore, /^\d+\.\d+\.\d+[-\w.]*$/);
  assert.equal(report.target, Deno.build.target);
  assert.equal(report.compiled, false);
});

Deno.test("versionText() is JSON when asked for", () => {
  assert.deepEqual(JSON.parse(versionText(true)), versionReport());
});
