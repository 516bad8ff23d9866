import assert from "node:assert/strict";
import type { runDoctor } from "../../../src/app/run_doctor.ts";
import { doctor, type DoctorOptions } from "../../../src/cli/commands/doctor.ts";
import { EXIT_STATUSES } from "../../../src/cli/exit_status.ts";
import { createReport, type DoctorReport, type Status } from "../../../src/doctor/report.ts";

type Request = Parameters<typeof runDoctor>[0];

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly request: Request | undefined;
}

async function runIn(
  options: Partial<DoctorOptions>,
  report: DoctorReport | number = reportOf("ok"),
): Promise<Outcome> {
  let stdout = "";
  let request: Request | undefined;
  const status = await doctor({
    flags: [],
    json: false,
    deep: false,
    env: { TMPDIR: "/tmp" },
    cwd: "/",
    readTextFile: () => assert.fail("a file was read"),
    stdout: (text) => stdout += text,
    stderr: () => {},
    terminal: false,
    ...options,
  }, (given) => {
    request = given;
    return Promise.resolve(report);
  });
  return { status, stdout, request };
}

function reportOf(status: Status, message = "said"): DoctorReport {
  const remedy = status === "warning" || status === "error" ? { remedy: "Do this" } : {};
  return createReport([{
    name: "one",
    status,
    ms: 1,
    findings: [{ status, message, ...remedy }],
    details: {},
  }], false);
}

Deno.test("doctor() ends with 6 for an error alone, which the list of exit statuses has", async () => {
  for (const [status, expected] of [["ok", 0], ["skipped", 0], ["warning", 0], ["error", 6]] as const) {
    assert.equal((await runIn({}, reportOf(status))).status, expected);
  }
  assert.ok(EXIT_STATUSES.some(([status, meaning]) => status === 6 && /doctor/.test(meaning)));
});

Deno.test("doctor() prints nothing and ends with the signal's status when it was interrupted", async () => {
  const { status, stdout } = await runIn({}, 130);
  assert.deepEqual([status, stdout], [130, ""]);
});

Deno.test("doctor() hands problems of settings and paths on instead of ending with them", async () => {
  const flags = [
    { flag: "--http-port", value: "high" },
    { flag: "--binary-path", value: "/nowhere/chrome" },
  ];
  const { status, request } = await runIn({ flags, deep: true });
  assert.equal(status, 0);
  assert.equal(request?.deep, true);
  assert.match(request?.judged.problems.join("\n") ?? "", /^Cannot use "high" for --http-port: [^\n]*$/);
  assert.match(
    request?.problems.join("\n") ?? "",
    /^Cannot use "\/nowhere\/chrome" for --binary-path: it does not exist$/,
  );
  assert.notEqual(request?.judged.resolved.settings.httpPort, "high");
});

Deno.test("doctor() colours for terminals that may have it", async () => {
  const coloured = async (options: Partial<DoctorOptions>): Promise<boolean> =>
    (await runIn(options)).stdout.includes("\x1b[");
  assert.equal(await coloured({ terminal: true, env: { NO_COLOR: "" } }), true);
  assert.equal(await coloured({ terminal: true, env: { NO_COLOR: "1" } }), false);
  assert.equal(await coloured({ terminal: true, env: { TERM: "dumb" } }), false);
  assert.equal(await coloured({ terminal: false }), false);
  assert.equal(await coloured({ terminal: true, json: true }), false);
});

Deno.test("doctor() keeps secrets and passwords in addresses out of both forms", async () => {
  const env = { CLOAKBROWSER_LICENSE_KEY: "cb_4711_hidden", TMPDIR: "/tmp" };
  const report = reportOf("error", "cb_4711_hidden at http://joe:pa55word@example.com:1/");
  for (const json of [false, true]) {
    const { stdout } = await runIn({ env, json }, report);
    assert.match(stdout, /<hidden> at http:\/\/example\.com:1\//);
  }
});
