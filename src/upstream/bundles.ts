/**
 * Upstream's two bundles, seven megabytes of JavaScript. Compiling them is most of a child's start, so the build
 * lets the finished program compile them once and embeds what V8 makes of that (`.cache/code_cache`): 200 ms to the
 * first answer instead of 360.
 *
 * Deno's own code cache is not used. It keeps one file for each program name in the shared temporary
 * directory, where any local user can put code into it, and holds what the first process has loaded by the
 * time it has loaded anything at all: never these bundles.
 */

import fs from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";
import { upstreamPackageRoot } from "./package_root.ts";

/** What is used of `playwright-core/lib/utilsBundle` and `playwright-core/lib/coreBundle`. */
export interface Bundles {
  readonly program: Program;
  readonly tools: { decorateMCPCommand(program: Program, version: string): void };
  readonly libCli: { decorateProgram(program: Program): void };
}

/** The part of upstream's own `commander` that is used. */
export interface Program {
  version(text: string): this;
  name(text: string): this;
  parseAsync(argv: readonly string[]): Promise<unknown>;
}

/** The parts of Node's module loader that `@types/node` leaves out. */
interface Loader {
  readonly _extensions: Record<string, (module: NodeJS.Module, file: string) => void>;
}

const CODE_CACHE_SUFFIX = ".v8";

/**
 * Evaluates the bundles. From source Deno imports them, so that it also installs the package where it is
 * missing; a compiled program has it, and `require` saves the analysis that an import of CommonJS needs.
 */
export async function loadBundles(): Promise<Bundles> {
  if (Deno.build.standalone) return requireBundles();
  const { program } = await import("playwright-core/lib/utilsBundle");
  const { libCli, tools } = await import("playwright-core/lib/coreBundle");
  return { program, libCli, tools };
}

/** Makes `require` compile the bundles with the embedded code cache, whoever requires them. */
export function useCodeCache(): void {
  compileBundles(() => {});
}

/**
 * Writes the code cache of this compiled program, for the build to embed in the next pass. Made after the
 * bundles were evaluated, it covers what every start runs.
 */
export function writeCodeCache(directory: string): void {
  const scripts: [string, vm.Script][] = [];
  compileBundles((file, script) => scripts.push([file, script]));
  requireBundles();
  fs.mkdirSync(directory, { recursive: true });
  for (const [file, script] of scripts) {
    fs.writeFileSync(
      path.join(directory, path.basename(file) + CODE_CACHE_SUFFIX),
      script.createCachedData(),
    );
  }
}

function requireBundles(): Bundles {
  const require = createRequire(import.meta.url);
  const { program } = require(bundlePath("utilsBundle"));
  const { libCli, tools } = require(bundlePath("coreBundle"));
  return { program, libCli, tools };
}

function bundlePath(name: "utilsBundle" | "coreBundle"): string {
  return path.join(upstreamPackageRoot(), "lib", `${name}.js`);
}

function compileBundles(compiled: (file: string, script: vm.Script) => void): void {
  const { _extensions: extensions } = Module as unknown as Loader;
  const bundles = [bundlePath("utilsBundle"), bundlePath("coreBundle")];
  const loadOther = extensions[".js"];
  extensions[".js"] = (module, file) => {
    if (bundles.includes(file)) compiled(file, evaluate(module, file));
    else loadOther?.(module, file);
  };
}

/** Does for one file what Node's loader does, with the code cache where there is one that this V8 accepts. */
function evaluate(module: NodeJS.Module, file: string): vm.Script {
  const source = fs.readFileSync(file, "utf8");
  const cachedData = readCodeCache(file);
  const script = new vm.Script(
    `(function (exports, require, module, __filename, __dirname) {${source}\n})`,
    cachedData === undefined ? { filename: file } : { filename: file, cachedData },
  );
  const run = script.runInThisContext();
  run.call(module.exports, module.exports, createRequire(file), module, file, path.dirname(file));
  return script;
}

function readCodeCache(file: string): Uint8Array | undefined {
  const cache = new URL(
    `../../.cache/code_cache/${path.basename(file)}${CODE_CACHE_SUFFIX}`,
    import.meta.url,
  );
  try {
    return fs.readFileSync(cache);
  } catch {
    return undefined; // a program for another system, which could not run where it was built
  }
}
