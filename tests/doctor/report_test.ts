import assert from "node:assert/strict";
import { type CheckReport, createReport, type Status, worst } from "../../src/doctor/report.ts";

function check(status: Status): CheckReport {
  return { name: "x", status, ms: 1, findings: [], details: {} };
}

Deno.test("worst() puts error above warning above ok above skipped", () => {
  assert.equal(worst([]), "skipped");
  assert.equal(worst(["ok", "skipped"]), "ok");
  assert.equal(worst(["warning", "ok", "skipped"]), "warning");
  assert.equal(worst(["ok", "error", "warning"]), "error");
});

Deno.test("createReport() is as bad as its worst check, and fine where nothing applied", () => {
  assert.equal(createReport([check("ok"), check("warning")], false).status, "warning");
  assert.equal(createReport([check("error"), check("ok")], true).status, "error");
  assert.deepEqual(createReport([check("skipped")], false), {
    formatVersion: 1,
    status: "ok",
    deep: false,
    checks: [check("skipped")],
  });
});
