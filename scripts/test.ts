/**
 * Sets up, builds and runs every test: `deno task test [FILE | DIRECTORY | NAME | --flag]...`
 *
 * Files and directories choose what is run, anything else is part of the names of the tests that are; flags go
 * to `deno test`.
 */

import { fileURLToPath } from "node:url";
import { messageOf } from "../src/errors.ts";
import { readLines } from "../src/protocol/lines.ts";
import { build } from "./build.ts";
import { say } from "./say.ts";
import { ensureBrowser, ensureXvfb } from "./setup.ts";

/** Tests that start processes and browsers; the rest is fast and comes first. `ending` has the machine for itself. */
const SLOW_PHASES = ["integration", "conformance", "e2e", "ending"];

/** Processes that share the files of a phase whose tests wait as much as they work. */
const LANES: Readonly<Record<string, number>> = { integration: 2, e2e: 2 };

const MAX_LINE_BYTES = 1024 * 1024;

const CONFIGURING = /^(CLOAKBROWSER_|CLOAK_PLAYWRIGHT_MCP_|PLAYWRIGHT_MCP_)/i;

export interface Count {
  readonly passed: number;
  readonly failed: number;
}

interface Phase {
  readonly name: string;
  /** Whether its tests start the built program and a browser. */
  readonly slow: boolean;
  /** Arguments of `deno test` that choose the files. */
  readonly args: readonly string[];
}

/** What the arguments of the task mean, given which of them are paths. */
export function planPhases(
  args: readonly string[],
  isPath: (arg: string) => boolean,
): { readonly phases: readonly Phase[]; readonly common: readonly string[] } {
  const paths = args.filter(isPath);
  const flags = args.filter((arg) => arg.startsWith("-"));
  const words = args.filter((arg) => !isPath(arg) && !arg.startsWith("-"));
  const common = words.length === 0 ? flags : [...flags, `--filter=${words.join(" ")}`];
  if (paths.length > 0) {
    const chosen = (slow: boolean): Phase => ({
      name: slow ? "chosen, slow" : "chosen",
      slow,
      args: paths.filter((path) => slow === SLOW_PHASES.some((name) => path.split(/[/\\]/).includes(name))),
    });
    return { phases: [chosen(false), chosen(true)].filter(({ args }) => args.length > 0), common };
  }
  const directories = SLOW_PHASES.map((name) => `tests/${name}`);
  return {
    phases: [
      { name: "unit", slow: false, args: ["tests", `--ignore=${directories.join(",")}`] },
      ...SLOW_PHASES.map((name) => ({ name, slow: true, args: [`tests/${name}`] })),
    ],
    common,
  };
}

/**
 * Counts a JUnit report of `deno test`, steps included. A module that fails to load shows in the exit status
 * only; that counts as a failure.
 */
export function countTests(report: string, success: boolean): Count {
  const sum = (pattern: RegExp): number =>
    [...report.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
  const failed = sum(/<testsuite [^>]*failures="(\d+)"/g) + sum(/<testsuite [^>]*errors="(\d+)"/g);
  const ignored = sum(/<testsuite [^>]*disabled="(\d+)"/g);
  return {
    passed: sum(/<testsuite [^>]*tests="(\d+)"/g) - ignored - failed,
    failed: failed === 0 && !success ? 1 : failed,
  };
}

/**
 * What each of `lanes` processes runs. Files are dealt out in turn, so that what belongs together in name, and is alike in
 * length, is spread. Not one process with several workers: some tests count their own process's files and children.
 */
export function dealOut(files: readonly string[], lanes: number): string[][] {
  const hands = Array.from({ length: lanes }, (_, lane) => files.filter((_, at) => at % lanes === lane));
  return hands.filter((hand) => hand.length > 0);
}

/** The arguments of each process of a phase. */
function lanesOf({ name, args }: Phase): string[][] {
  const lanes = LANES[name] ?? 1;
  return lanes === 1 ? [[...args]] : dealOut(args.flatMap(testFilesIn).toSorted(), lanes);
}

function testFilesIn(path: string): string[] {
  if (Deno.statSync(path).isFile) return [path];
  return Array.from(Deno.readDirSync(path)).flatMap(({ name, isDirectory }) => {
    const inner = `${path}/${name}`;
    if (isDirectory) return testFilesIn(inner);
    return name.endsWith("_test.ts") ? [inner] : [];
  });
}

async function runPhase(
  phase: Phase,
  common: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Count> {
  const counts = await Promise.all(
    lanesOf(phase).map((args, lane, lanes) => {
      const mark = lanes.length === 1 ? "" : `[${lane + 1}] `;
      return runLane([...common, ...args], env, mark);
    }),
  );
  return counts.reduce((total, { passed, failed }) => ({
    passed: total.passed + passed,
    failed: total.failed + failed,
  }), { passed: 0, failed: 0 });
}

/** @param mark begins each line of the output, so that the lines of several lanes can be told apart */
async function runLane(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  mark: string,
): Promise<Count> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  try {
    const command = new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "--allow-all",
        "--permit-no-files",
        "--quiet",
        `--junit-path=${report}`,
        ...args,
      ],
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: { ...env },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    });
    const child = command.spawn();
    const decoder = new TextDecoder();
    await readLines(child.stdout, MAX_LINE_BYTES, (line) => {
      say(mark + decoder.decode(line.kind === "line" ? line.bytes : line.head));
      return Promise.resolve();
    });
    const { success } = await child.status;
    return countTests(await Deno.readTextFile(report), success);
  } finally {
    await Deno.remove(report);
  }
}

/** The environment without what configures the program: a developer's own settings are no part of a test. */
export function neutralEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !CONFIGURING.test(name)));
}

async function timed<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
  say(`\n== ${name}`);
  const start = performance.now();
  try {
    return await act();
  } finally {
    say(`== ${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}

async function testAll(args: readonly string[]): Promise<Count> {
  const browser = await timed("setup", () => ensureBrowser());
  await ensureXvfb();
  say(`Browser: ${browser}`);
  const { path: binary } = await timed("build", () => build({ target: undefined, release: false }));
  const fast = neutralEnvironment(Deno.env.toObject());
  const slow = { ...fast, CLOAKBROWSER_MCP_TEST_BINARY: binary, CLOAKBROWSER_BINARY_PATH: browser };
  const { phases, common } = planPhases(args, exists);
  const total = { passed: 0, failed: 0 };
  for (const phase of phases) {
    if (!exists(phase.args[0] ?? "")) continue;
    const count = await timed(phase.name, () => runPhase(phase, common, phase.slow ? slow : fast));
    total.passed += count.passed;
    total.failed += count.failed;
  }
  return total;
}

/** From the root of the project, where tasks run. */
function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.main) {
  const total = await testAll(Deno.args).catch((error) => {
    say(messageOf(error));
    return { passed: 0, failed: 1 };
  });
  say(`\n${total.passed} passed, ${total.failed} failed`);
  Deno.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
}
