/**
 * The official conformance suite, all of its server scenarios, against the program with a feature-complete upstream
 * behind it.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { HttpRun } from "../harness/http_run.ts";

const SUITE = "npm:@modelcontextprotocol/conformance@0.1.16";

/** Server scenarios of that version. */
const SCENARIOS = 32;

/** More than the scenarios open: the suite does not end its sessions. */
const SESSIONS = 64;

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

Deno.test("every server scenario of the conformance suite passes", async (t) => {
  const upstream = [
    Deno.execPath(),
    "run",
    "--no-config",
    "--no-lock",
    "--no-prompt",
    modulePath("upstream.ts"),
  ];
  await using run = await HttpRun.start({ upstream, args: ["--http-session-max", String(SESSIONS)] });
  const output = `${run.folder.path}/conformance`;
  const suite = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--config",
      modulePath("suite.json"),
      "--allow-all",
      SUITE,
      "server",
      "--url",
      run.url,
      "--suite",
      "all",
      "--output-dir",
      output,
    ],
    cwd: modulePath("../.."),
  }).output();
  run.tree.record();
  const report = new TextDecoder().decode(suite.stdout) + new TextDecoder().decode(suite.stderr);
  const scenarios = (await Array.fromAsync(Deno.readDir(output))).map(({ name }) => name).sort();
  assert.equal(scenarios.length, SCENARIOS, report);
  for (const scenario of scenarios) {
    await t.step(scenario.replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, "$1"), () => {
      const checks: Check[] = JSON.parse(Deno.readTextFileSync(`${output}/${scenario}/checks.json`));
      const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
      assert.deepEqual(bad, []);
      assert.ok(checks.length > 0, "nothing was checked");
    });
  }
  assert.equal(suite.code, 0, report);
});

function modulePath(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
