import { upstreamOption } from "../../browser/upstream_option.ts";
import { withoutCredentials } from "../../browser/credentials.ts";
import { describeFileFault } from "../../settings/file_fault.ts";
import { browserEnvironment } from "../browser_environment.ts";
import { type Check, type CheckResult, error, ok, skipped, warning } from "../check.ts";
import { elfProblem } from "../elf.ts";
import { missingLibraries, packageRemedy } from "../missing_libraries.ts";
import { tryConnecting } from "../reach.ts";
import type { Finding } from "../report.ts";
import { lastLines, type ProgramOutcome } from "../run_program.ts";
import type { Subject } from "../subject.ts";
import { type DoctorWorld, findProgram, upstreamSources } from "../world.ts";

/** Chromium answers in 0.1 s from a warm disk; a cold one has 300 MB to read. */
const VERSION_MS = 10_000;

/** Every browser made from Chromium has its four numbers, whatever its name. */
const CHROMIUM_VERSION = /\b\d+\.\d+\.\d+\.\d+\b/;

const CONNECT_MS = 5000;

/** Which browser would run, whether it is there, and whether it starts far enough to tell its version. */
export const BROWSER_CHECK: Check = {
  name: "browser",
  boundMs: 30_000,
  async run(world, signal): Promise<CheckResult> {
    const subject = await world.subject();
    const { engine, source, executablePath, note, cloakbrowser } = subject;
    const details = {
      engine,
      source,
      executablePath: executablePath ?? null,
      cloakbrowserVersion: cloakbrowser?.version ?? null,
      cloakbrowserInstalled: cloakbrowser?.installed ?? null,
    };
    const intro = note === undefined ? [] : [ok(note)];
    if (subject.attaches) return { findings: [...intro, await endpointFinding(world, signal)], details };
    if (subject.notOurs !== undefined) {
      const missing = await upstreamProblem(world, signal);
      return { findings: [skipped(`Not applicable: ${subject.notOurs}`), ...missing], details };
    }
    if (executablePath === undefined) {
      const finding = skipped("Which executable that is shows only when it is launched: see --deep");
      return { findings: [...intro, finding], details };
    }
    const problem = await fileProblem(executablePath, subject, world);
    if (problem !== undefined) return { findings: [problem], details };
    if (world.os === "windows") {
      const finding = skipped(`"${executablePath}" is there; on Windows browsers do not tell their version`);
      return { findings: [...intro, finding], details };
    }
    const outcome = await world.run({
      program: executablePath,
      args: ["--version"],
      env: browserEnvironment(world.env),
      timeoutMs: VERSION_MS,
      signal,
    });
    const { finding, version } = await judgeVersion(executablePath, outcome, world, signal);
    return { findings: [...intro, finding], details: { ...details, version } };
  },
};

/** What keeps another upstream from being started. */
async function upstreamProblem(world: DoctorWorld, signal: AbortSignal): Promise<Finding[]> {
  const [program] = world.resolved.settings.upstreamCommand ?? [];
  if (program === undefined || world.os === "windows") return [];
  if (await findProgram(world, signal, program) !== undefined) return [];
  return [
    error(
      `The upstream "${program}" cannot be started: there is no such program`,
      "Install it, correct --upstream-command, or leave that out to use the Playwright MCP inside this program",
    ),
  ];
}

/** What keeps the file from being started, as far as looking at it tells. */
async function fileProblem(path: string, subject: Subject, world: DoctorWorld): Promise<Finding | undefined> {
  const another = subject.source === "cloakbrowser"
    ? 'Download it anew with "cloakbrowser-mcp install --force", and see whether --cache-dir is right'
    : "Name the executable of a Chromium, or leave it out to use CloakBrowser";
  let info: Deno.FileInfo;
  try {
    info = await Deno.stat(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound && subject.source === "cloakbrowser") {
      return notHereYet(subject);
    }
    return error(`Cannot start the browser "${path}": ${describeFileFault(cause)}`, another);
  }
  if (info.isDirectory) return error(`Cannot start the browser "${path}": it is a directory`, another);
  if (!info.isFile) return error(`Cannot start the browser "${path}": it is no regular file`, another);
  if (info.size === 0) return error(`Cannot start the browser "${path}": it is empty`, another);
  if (info.mode !== null && (info.mode & 0o111) === 0) {
    const remedy = `Make it executable with chmod +x, or name another one`;
    return error(`Cannot start the browser "${path}": it is not executable`, remedy);
  }
  if (world.os !== "linux") return undefined;
  const foreign = await elfProblem(path, world.arch);
  return foreign === undefined ? undefined : error(`Cannot start the browser "${path}": ${foreign}`, another);
}

function notHereYet({ cloakbrowser, note }: Subject): Finding {
  if (cloakbrowser === null) {
    const remedy = "Name a browser with --binary-path, or use --browser-engine auto or playwright";
    return error(note ?? "There is no CloakBrowser for this platform", remedy);
  }
  return warning(
    `CloakBrowser ${cloakbrowser.version} is not here yet; the first browser call downloads it`,
    'Download it ahead with "cloakbrowser-mcp install"',
  );
}

async function judgeVersion(
  path: string,
  outcome: ProgramOutcome,
  world: DoctorWorld,
  signal: AbortSignal,
): Promise<{ finding: Finding; version: string | null }> {
  const fail = (message: string, remedy: string): { finding: Finding; version: null } => ({
    finding: error(`The browser "${path}" ${message}`, remedy),
    version: null,
  });
  if (outcome.kind === "not_started") return fail(...startFault(outcome.cause));
  const words = lastLines(outcome.stderr);
  if (outcome.kind === "timed_out") {
    return fail(
      `did not answer --version within ${VERSION_MS / 1000} s${words && `:\n${words}`}`,
      "Start it by hand to see what holds it up",
    );
  }
  if (outcome.code !== 0) {
    const said = words || lastLines(outcome.stdout);
    const libraries = missingLibraries(outcome.stderr);
    return fail(
      `ended with exit code ${outcome.code} when asked for its version${said && `:\n${said}`}`,
      libraries.length > 0
        ? await packageRemedy(libraries, world, signal)
        : "Correct what it says, or name another browser with --binary-path",
    );
  }
  const version = lastLines(outcome.stdout, 1);
  if (version === "") {
    const remedy = "Make sure that it is a Chromium";
    return {
      finding: warning(`The browser "${path}" starts but tells no version`, remedy),
      version: null,
    };
  }
  if (!CHROMIUM_VERSION.test(version)) {
    return fail(
      `is no Chromium: it says "${version}" when asked for its version`,
      "Name the executable of a Chromium with --binary-path, or leave it out to use CloakBrowser",
    );
  }
  return { finding: ok(`${version} at "${path}"`), version };
}

function startFault(cause: unknown): [message: string, remedy: string] {
  if (cause instanceof Deno.errors.NotFound) {
    return [
      "cannot be started: the loader that its first bytes name is not on this system",
      "Use a browser that was built for this system; on Alpine Linux that is one of its own packages",
    ];
  }
  if (cause instanceof Deno.errors.PermissionDenied) {
    return [
      "cannot be started: permission denied",
      "Look at the permissions of its directories, and for a file system that is mounted with noexec",
    ];
  }
  return [
    `cannot be started: ${describeFileFault(cause)}`,
    "Name the executable of a Chromium that was built for this machine",
  ];
}

/** A browser that runs elsewhere can only be knocked at. */
async function endpointFinding(world: DoctorWorld, signal: AbortSignal): Promise<Finding> {
  const endpoint = upstreamOption(upstreamSources(world), {
    flag: "--cdp-endpoint",
    env: "PLAYWRIGHT_MCP_CDP_ENDPOINT",
    config: "browser.cdpEndpoint",
  });
  const url = typeof endpoint?.value === "string" && URL.canParse(endpoint.value)
    ? new URL(endpoint.value)
    : undefined;
  if (url === undefined || url.hostname === "") {
    return skipped("A browser that runs already is not looked at");
  }
  const port = Number(url.port) || (/^(https|wss):$/.test(url.protocol) ? 443 : 80);
  const problem = await tryConnecting({ host: url.hostname, port }, CONNECT_MS, signal);
  const shown = `${url.protocol}//${url.host}`;
  if (problem === undefined) return ok(`Something listens at ${withoutCredentials(shown)}`);
  return error(
    `The browser's address ${shown} cannot be reached: ${problem}`,
    `Start that browser, or correct ${endpoint?.origin}`,
  );
}
