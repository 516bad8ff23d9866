/** One run of the doctor, in a folder of its own in which it must leave nothing, and no process either. */
import assert from "node:assert/strict";
import type { CheckReport, DoctorReport } from "../../src/doctor/report.ts";
import { ProcessTree } from "../harness/process_tree.ts";
import { bridgeCommand } from "../harness/target.ts";
import { until } from "../harness/until.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { testBrowserPath } from "./test_browser.ts";

export interface DoctorRunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Executable of the browser; undefined is the test browser, null none at all. */
  readonly browser?: string | null;
  /** Told of the process once it runs. */
  readonly onStart?: (child: Deno.ChildProcess, tree: ProcessTree) => Promise<void>;
  /** Started by another program, which gets the command line as its arguments. */
  readonly through?: readonly string[];
}

export interface DoctorOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** More than the bound of the deep check. */
const ENDS_WITHIN_MS = 90_000;
const NOTHING_LEFT_WITHIN_MS = 5_000;

export async function runDoctor(options: DoctorRunOptions = {}): Promise<DoctorOutcome> {
  using folder = new BrowserFolder();
  const { args = [], env = {}, browser = await testBrowserPath(), onStart } = options;
  const { command, args: first } = bridgeCommand();
  const [program = command, ...words] = [
    ...options.through ?? [],
    command,
    ...first,
    "doctor",
    ...args,
  ];
  const child = new Deno.Command(program, {
    args: words,
    env: {
      ...folder.environment,
      ...(browser === null ? {} : { CLOAKBROWSER_BINARY_PATH: browser }),
      ...env,
    },
    clearEnv: true,
    cwd: folder.work,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const tree = new ProcessTree(child.pid);
  try {
    const output = child.output();
    let ended = false;
    void output.then(() => ended = true);
    await onStart?.(child, tree);
    await until("the doctor ends", () => {
      tree.record();
      return ended;
    }, ENDS_WITHIN_MS);
    const { code, stdout, stderr } = await output;
    await tree.assertNothingLeft({ withinMs: NOTHING_LEFT_WITHIN_MS });
    assert.deepEqual(folder.temporaryEntries(), []);
    assert.deepEqual(filesBelow(folder.home), []);
    assert.deepEqual(filesBelow(folder.work), []);
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  } finally {
    tree.killAll();
  }
}

/** A run with `--json`; what it prints is the report and nothing else. */
export async function diagnose(
  options: DoctorRunOptions = {},
): Promise<{ code: number; report: DoctorReport; check: (name: string) => CheckReport }> {
  const { code, stdout, stderr } = await runDoctor({ ...options, args: ["--json", ...options.args ?? []] });
  assert.equal(stderr, "");
  const report: DoctorReport = JSON.parse(stdout);
  assert.equal(stdout, `${JSON.stringify(report, null, 2)}\n`);
  assert.equal(code, report.status === "error" ? 6 : 0);
  const check = (name: string): CheckReport =>
    report.checks.find((each) => each.name === name) ?? assert.fail(`there is no check "${name}"`);
  return { code, report, check };
}

export function messages({ findings }: CheckReport): string {
  return findings.map(({ status, message }) => `${status}: ${message}`).join("\n");
}

function filesBelow(directory: string): string[] {
  return Array.from(Deno.readDirSync(directory)).flatMap(({ name, isDirectory }) =>
    isDirectory ? [`${directory}/${name}/`, ...filesBelow(`${directory}/${name}`)] : [`${directory}/${name}`]
  );
}
