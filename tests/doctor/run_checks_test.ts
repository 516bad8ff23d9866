import assert from "node:assert/strict";
import { type Check, type CheckResult, ok } from "../../src/doctor/check.ts";
import { runChecks } from "../../src/doctor/run_checks.ts";
import { AppError } from "../../src/errors.ts";
import { doctorWorld } from "./test_world.ts";

function check(name: string, run: Check["run"], boundMs = 10_000): Check {
  return { name, boundMs, run };
}

const FINE = check("fine", () => Promise.resolve({ findings: [ok("fine")], details: { a: 1 } }));

Deno.test("runChecks() makes an error of what a check throws, and goes on", async () => {
  const broken = check("broken", () => Promise.reject(new Error("boom")));
  const told = check("told", () => {
    throw new AppError("usage", "Cannot x", { remedy: "Do y" });
  });
  const reports = await runChecks([broken, told, FINE], await doctorWorld(), new AbortController().signal);
  assert.deepEqual(reports.map(({ name, status }) => [name, status]), [
    ["broken", "error"],
    ["told", "error"],
    ["fine", "ok"],
  ]);
  assert.equal(reports[0]?.findings[0]?.message, "Cannot be checked: boom");
  assert.ok(reports[0]?.findings[0]?.remedy);
  assert.deepEqual(reports[1]?.findings, [{ status: "error", message: "Cannot x", remedy: "Do y" }]);
  assert.deepEqual(reports[2]?.details, { a: 1 });
});

Deno.test("runChecks() gives up a check after its time, tells it so and waits for its clean-up", async () => {
  let cleaned = false;
  const hanging = check("hanging", async (_world, signal) => {
    const { promise, resolve } = Promise.withResolvers<CheckResult>();
    signal.addEventListener("abort", () => resolve({ findings: [ok("too late")] }));
    const result = await promise;
    cleaned = true;
    return result;
  }, 20);
  const [report, other] = await runChecks([hanging, FINE], await doctorWorld(), new AbortController().signal);
  assert.equal(report?.status, "error");
  assert.equal(report?.findings[0]?.message, "Was given up after 0.02 s");
  assert.equal(cleaned, true);
  assert.equal(other?.status, "ok");
});

Deno.test("runChecks() runs checks side by side", async () => {
  const met = Promise.withResolvers<void>();
  const first = check("first", async () => {
    await met.promise;
    return { findings: [ok("met")] };
  });
  const second = check("second", () => {
    met.resolve();
    return Promise.resolve({ findings: [ok("met")] });
  });
  const reports = await runChecks([first, second], await doctorWorld(), new AbortController().signal);
  assert.deepEqual(reports.map(({ status }) => status), ["ok", "ok"]);
});
