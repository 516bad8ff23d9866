import assert from "node:assert/strict";
import { countTests, dealOut, neutralEnvironment, planPhases } from "../../scripts/test.ts";

const isPath = (arg: string): boolean => arg.startsWith("tests/");

Deno.test("planPhases() runs what is fast first", () => {
  const { phases, common } = planPhases([], isPath);
  assert.deepEqual(phases.map(({ name, slow }) => [name, slow]), [
    ["unit", false],
    ["integration", true],
    ["conformance", true],
    ["e2e", true],
    ["ending", true],
  ]);
  assert.deepEqual(phases[0]?.args, [
    "tests",
    "--ignore=tests/integration,tests/conformance,tests/e2e,tests/ending",
  ]);
  assert.deepEqual(common, []);
});

Deno.test("planPhases() takes words for a part of the names of tests, and hands on flags", () => {
  const { phases, common } = planPhases(["restart", "before", "--fail-fast"], isPath);
  assert.equal(phases.length, 5);
  assert.deepEqual(common, ["--fail-fast", "--filter=restart before"]);
});

Deno.test("planPhases() runs chosen files alone, fast ones without the program", () => {
  const { phases } = planPhases(["tests/e2e/a_test.ts", "tests/cli"], isPath);
  assert.deepEqual(phases, [
    { name: "chosen", slow: false, args: ["tests/cli"] },
    { name: "chosen, slow", slow: true, args: ["tests/e2e/a_test.ts"] },
  ]);
});

Deno.test("dealOut() gives every file to one lane, in turn, and leaves no lane empty", () => {
  assert.deepEqual(dealOut(["a", "b", "c"], 2), [["a", "c"], ["b"]]);
  assert.deepEqual(dealOut(["a"], 2), [["a"]]);
  assert.deepEqual(dealOut([], 2), []);
});

const REPORT = `<testsuites name="deno test" tests="9" failures="2" errors="0" time="0.006">
    <testsuite name="./a_test.ts" tests="6" disabled="1" errors="0" failures="2"></testsuite>
    <testsuite name="./b_test.ts" tests="3" disabled="0" errors="0" failures="0"></testsuite>
</testsuites>`;

Deno.test("countTests() sums the suites and leaves out what was ignored", () => {
  assert.deepEqual(countTests(REPORT, false), { passed: 6, failed: 2 });
});

Deno.test("countTests() counts a run that failed without a failed test as a failure", () => {
  assert.deepEqual(countTests("", false), { passed: 0, failed: 1 });
  assert.deepEqual(countTests("", true), { passed: 0, failed: 0 });
});

Deno.test("neutralEnvironment() drops what configures the program or upstream", () => {
  const env = {
    PATH: "/bin",
    CLOAKBROWSER_BINARY_PATH: "/x",
    CLOAK_PLAYWRIGHT_MCP_EXTRA_ARGS: "",
    PLAYWRIGHT_MCP_CAPS: "pdf",
    PLAYWRIGHT_BROWSERS_PATH: "/y",
  };
  assert.deepEqual(neutralEnvironment(env), { PATH: "/bin", PLAYWRIGHT_BROWSERS_PATH: "/y" });
});
