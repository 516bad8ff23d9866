/**
 * What checks look at: the settings of the start that is judged, and the machine.
 */
import type { JsonObject, UpstreamSources } from "../browser/upstream_option.ts";
import type { ResolvedSettings } from "../settings/settings.ts";
import type { ProgramOutcome, ProgramRequest } from "./run_program.ts";
import type { Subject } from "./subject.ts";

/** What is inside this program. */
export interface Versions {
  readonly version: string;
  readonly deno: string;
  readonly upstream: string;
  readonly playwrightCore: string;
  readonly cloakbrowser: string;
  readonly target: string;
  /** False when run from source. */
  readonly compiled: boolean;
}

export interface DoctorWorld {
  /** Settings in effect; a value that cannot be used is left at its default. */
  readonly resolved: ResolvedSettings;
  /** What keeps a server with these settings from starting, one sentence each. */
  readonly problems: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute working directory. */
  readonly cwd: string;
  /** Upstream's own configuration file; empty where there is none or it cannot be read. */
  readonly config: JsonObject;
  readonly versions: Versions;
  readonly os: typeof Deno.build.os;
  readonly arch: typeof Deno.build.arch;
  /** Number of the user that runs this; null on Windows. */
  readonly uid: number | null;
  /** Runs another program to its end, or to that of its time. */
  readonly run: (request: ProgramRequest) => Promise<ProgramOutcome>;
  /**
   * The browser that a start would run; asked once.
   *
   * @throws {AppError} `usage` where the settings contradict each other
   */
  readonly subject: () => Promise<Subject>;
}

/** The user's own words to upstream. */
export function upstreamSources({ resolved, env, config }: DoctorWorld): UpstreamSources {
  return { upstreamArgs: resolved.settings.upstreamArgs, env, config };
}

/**
 * What a shell script prints; undefined where there is no shell or it takes too long. Deno itself opens `/proc` to few
 * programs.
 */
export async function shellText(
  { run, env }: DoctorWorld,
  signal: AbortSignal,
  script: string,
  ...args: string[]
): Promise<string | undefined> {
  const outcome = await run({
    program: "sh",
    args: ["-c", script, "sh", ...args],
    env: withToolPath(env),
    timeoutMs: SHELL_MS,
    signal,
  });
  return outcome.kind === "ended" ? outcome.stdout : undefined;
}

/** Path of a program as a server with this environment would find it; undefined where there is none. */
export async function findProgram(
  world: DoctorWorld,
  signal: AbortSignal,
  name: string,
): Promise<string | undefined> {
  const path = world.env["PATH"] || USUAL_PATH;
  const found = await shellText(
    world,
    signal,
    'cd "$3" && PATH="$1" && command -v -- "$2"',
    path,
    name,
    world.cwd,
  );
  return found?.trim() || undefined;
}

/** Where programs are looked for without a PATH. */
const USUAL_PATH = "/usr/bin:/bin";

/** For scripts that read a few files of the kernel; a dead network file system makes them hang. */
const SHELL_MS = 4000;

/** Where every Unix has its tools: MCP clients may start servers with another PATH, or none. */
const TOOL_DIRECTORIES = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/** An environment in which the system's own tools are found, after those of the user. */
export function withToolPath(env: Readonly<Record<string, string>>): Record<string, string> {
  const named = (env["PATH"] ?? "").split(":").filter((directory) => directory !== "");
  return { ...env, PATH: [...named, ...TOOL_DIRECTORIES].join(":") };
}
