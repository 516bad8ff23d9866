import assert from "node:assert/strict";
import { renderJson, renderText } from "../../src/doctor/render.ts";
import type { DoctorReport } from "../../src/doctor/report.ts";

const REPORT: DoctorReport = {
  formatVersion: 1,
  status: "error",
  deep: false,
  checks: [
    {
      name: "fonts",
      status: "warning",
      ms: 3,
      findings: [
        { status: "ok", message: "some" },
        { status: "warning", message: "few", remedy: "Install more" },
      ],
      details: { count: 2, list: ["hunter22", null] },
    },
    {
      name: "browser",
      status: "error",
      ms: 5,
      findings: [{
        status: "error",
        message: "ended:\n\x1b[31mline\x1b[0m\x07 one\nhunter22",
        remedy: "Correct it\nor not",
      }],
      details: {},
    },
  ],
};

const redact = (text: string): string => text.replaceAll("hunter22", "<hidden>");

Deno.test("renderText() aligns findings, puts remedies below them, and sums up", () => {
  assert.deepEqual(renderText(REPORT, redact, false).split("\n"), [
    "ok       fonts    some",
    "warning           few",
    "                  → Install more",
    "error    browser  ended:",
    "                  line one",
    "                  <hidden>",
    "                  → Correct it",
    "                  or not",
    "",
    "error: 1 error, 1 warning",
    "",
  ]);
});

Deno.test("renderText() colours the status alone, and only when asked", () => {
  const coloured = renderText(REPORT, redact, true);
  assert.ok(coloured.startsWith("\x1b[32mok\x1b[0m       fonts    some\n\x1b[33mwarning\x1b[0m "), coloured);
  // deno-lint-ignore no-control-regex -- colours are what this looks for
  assert.equal(coloured.replace(/\x1b\[\d+m/g, ""), renderText(REPORT, redact, false));
  assert.ok(!renderText(REPORT, redact, false).includes("\x1b"));
});

Deno.test("renderText() says so where nothing is wrong", () => {
  const fine: DoctorReport = { formatVersion: 1, status: "ok", deep: false, checks: [] };
  assert.match(
    renderText({ ...fine, checks: REPORT.checks.slice(0, 0) }, redact, false),
    /ok: nothing is wrong\n$/,
  );
});

Deno.test("renderJson() prints the report with two blanks, without secrets and escape sequences", () => {
  const text = renderJson(REPORT, redact);
  assert.ok(text.startsWith('{\n  "formatVersion": 1,\n') && text.endsWith("}\n"));
  const { checks } = JSON.parse(text) as DoctorReport;
  assert.deepEqual(checks[0]?.details, { count: 2, list: ["<hidden>", null] });
  assert.equal(checks[1]?.findings[0]?.message, "ended:\nline one\n<hidden>");
});
