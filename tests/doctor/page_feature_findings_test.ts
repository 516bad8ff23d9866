import assert from "node:assert/strict";
import { pageFeatureFindings } from "../../src/doctor/page_feature_findings.ts";
import { told } from "./test_world.ts";

const say = (info: Parameters<typeof pageFeatureFindings>[0]): string[] =>
  told({ findings: pageFeatureFindings(info) });

Deno.test("pageFeatureFindings() warns of what has switched itself off, and says why", () => {
  const reason = "this version of Playwright has no page.emit";
  const off = { enabled: true, active: false, switchedOff: true, reason };
  const findings = pageFeatureFindings({ humanize: off, consoleFallback: off });
  assert.deepEqual(told({ findings }), [
    `warning: Humanized input has switched itself off: ${reason}`,
    `warning: The console fallback has switched itself off: ${reason}`,
  ]);
  assert.ok(findings.every(({ remedy = "" }) => remedy !== ""));
});

Deno.test("pageFeatureFindings() tells what is active, and what need not be", () => {
  const idle = { enabled: true, active: false, reason: "the browser reports console messages itself" };
  assert.deepEqual(say({ humanize: { enabled: true, active: true }, consoleFallback: idle }), [
    "ok: Humanized input is active",
    "ok: The console fallback is not active: the browser reports console messages itself",
  ]);
});

Deno.test("pageFeatureFindings() is silent on what nobody asks for", () => {
  const unasked = { enabled: false, active: false };
  assert.deepEqual(say({ humanize: unasked, consoleFallback: unasked }), []);
  assert.deepEqual(say({}), []);
});
