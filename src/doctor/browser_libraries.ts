/**
 * What the loader says about a browser's shared libraries.
 */
import { basename, dirname, join } from "node:path";
import { browserEnvironment } from "./browser_environment.ts";
import { readFileKind } from "./elf.ts";
import { missingLibraries, missingVersions } from "./missing_libraries.ts";
import { type ProgramOutcome, type ProgramRequest, runProgram } from "./run_program.ts";
import { withToolPath } from "./world.ts";

const LDD_MS = 10_000;

export type BrowserLibraries =
  | {
    readonly kind: "listed";
    /** The program itself, behind whatever script starts it. */
    readonly program: string;
    readonly missing: readonly string[];
    /** Versions of the C library that this system does not have. */
    readonly missingVersions: readonly string[];
    /** False where `ldd` has failed, so that nothing missing proves nothing. */
    readonly complete: boolean;
  }
  /** `reason` is a sentence. */
  | { readonly kind: "unknown"; readonly reason: string };

/** @param env of a server; the browser gets its part of it */
export async function listLibraries(
  executablePath: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
  run: (request: ProgramRequest) => Promise<ProgramOutcome> = runProgram,
): Promise<BrowserLibraries> {
  const program = await findProgram(executablePath);
  if (program === undefined) {
    return unknown(`"${executablePath}" is no program of Linux whose libraries could be listed`);
  }
  const outcome = await run({
    program: "ldd",
    args: [program],
    env: withToolPath(browserEnvironment(env)),
    timeoutMs: LDD_MS,
    signal,
  });
  if (outcome.kind === "not_started") {
    return unknown('There is no "ldd" on this system to list the libraries with');
  }
  if (outcome.kind === "timed_out") {
    return unknown(`"ldd" did not list the libraries of "${program}" in time`);
  }
  const output = `${outcome.stdout}\n${outcome.stderr}`;
  return {
    kind: "listed",
    program,
    missing: missingLibraries(output),
    missingVersions: missingVersions(output),
    complete: outcome.code === 0,
  };
}

function unknown(reason: string): BrowserLibraries {
  return { kind: "unknown", reason };
}

/**
 * The program itself: what distributions put into `/usr/bin` is a script that starts another file, by custom in one of
 * these places.
 */
async function findProgram(executablePath: string): Promise<string | undefined> {
  let path: string;
  try {
    path = await Deno.realPath(executablePath);
  } catch {
    return undefined;
  }
  const name = basename(path);
  const places = [
    path,
    join(dirname(path), "chrome"),
    `/usr/lib/${name}/${name}`,
    `/usr/lib64/${name}/${name}`,
  ];
  for (const place of places) if ((await readFileKind(place)).kind === "elf") return place;
  return undefined;
}
