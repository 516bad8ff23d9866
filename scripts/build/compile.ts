/**
 * One program, compiled: the same in every lane but for the compiler.
 */

import { PERMISSION_FLAGS } from "../../src/platform/self_command.ts";
import { messageOf } from "../../src/errors.ts";
import { unusedFiles } from "./embedded_files.ts";
import { writeProgramConfig } from "./program_config.ts";

/** A Deno that compiles, and what its `denort` is. */
export interface Compiler {
  /** Path of the `deno` executable. */
  readonly deno: string;
  readonly denoVersion: string;
  /** Added to the environment of the compiler. */
  readonly env: Readonly<Record<string, string>>;
}

/** What the compiler said when it failed. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

/** The program's worker: no import names it, so the compiler has to be told. */
const WORKER = "src/upstream/parent_watch_worker.ts";

/**
 * The first is for `src/platform/memory_trim.ts`. The second keeps the young generation of the heap small: loading
 * upstream would let it grow by 30 MB that an idle session never uses.
 */
const V8_FLAGS = ["--expose-gc", "--max-semi-space-size=1"];

/** Where `src/upstream/bundles.ts` looks for the code cache. */
const CODE_CACHE = ".cache/code_cache";

/**
 * Compiles `main.ts` to `output`, replacing what is there in one step. Where the program can run on this
 * machine, it is compiled twice: the first makes the code cache that the second embeds.
 *
 * @param root Directory of the project.
 * @param target Triple of another system, or undefined for this one.
 * @throws {CompileError} With what the compiler said.
 */
export async function compileProgram(
  root: string,
  compiler: Compiler,
  output: string,
  target: string | undefined,
): Promise<void> {
  const fresh = `${output}.new${output.endsWith(".exe") ? ".exe" : ""}`;
  const config = await writeProgramConfig(root);
  await remove(`${root}/${CODE_CACHE}`);
  const excludes = await unusedFiles(root, config);
  const compile = (...includes: string[]): Promise<void> => {
    const args = compileArguments({ config, output: fresh, target, includes, excludes });
    return run(compiler.deno, args, root, compiler.env);
  };
  try {
    await compile(WORKER);
    if (target === undefined) {
      await run(fresh, ["upstream", "write-code-cache", CODE_CACHE], root, {});
      await compile(WORKER, CODE_CACHE);
    }
    await Deno.rename(fresh, output);
  } finally {
    await remove(fresh);
  }
}

export interface CompileArguments {
  /** Path of the configuration. */
  readonly config: string;
  readonly output: string;
  readonly target: string | undefined;
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
}

/** Arguments of `deno` that compile `main.ts` in its working directory. */
export function compileArguments(
  { config, output, target, includes, excludes }: CompileArguments,
): string[] {
  return [
    "compile",
    "--quiet",
    "--config",
    config,
    // `deno task ok` checks the types.
    "--no-check",
    // The reason is in src/upstream/bundles.ts.
    "--no-code-cache",
    `--v8-flags=${V8_FLAGS.join(",")}`,
    ...PERMISSION_FLAGS,
    ...includes.flatMap((include) => ["--include", include]),
    ...excludes.flatMap((exclude) => ["--exclude", exclude]),
    ...(target === undefined ? [] : ["--target", target]),
    "--output",
    output,
    "main.ts",
  ];
}

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const child = new Deno.Command(command, { args: [...args], cwd, env: { ...env, NO_COLOR: "1" } });
  const { success, code, stderr } = await child.output().catch((cause) => {
    throw new CompileError(`Cannot run "${command}": ${messageOf(cause)}`, { cause });
  });
  if (!success) {
    const said = new TextDecoder().decode(stderr).split("\nStack backtrace:")[0]?.trim();
    throw new CompileError(`"${command} ${args[0]}" ended with status ${code}:\n${said}`);
  }
}

async function remove(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
