/**
 * What of the npm packages stays out of the executable. Every process of the program holds all embedded files in
 * memory, so what nothing at run time reads is paid for twice in each session.
 */

import { join } from "node:path";
import { messageOf } from "../../src/errors.ts";

/** Folders and files by package, from its root. */
const UNUSED: Readonly<Record<string, readonly string[]>> = {
  // Pages of `show-trace` and of the test runner's report, which no MCP tool serves; scripts that install browsers.
  "playwright-core": ["types", "bin", "lib/vite/traceViewer", "lib/vite/htmlReport"],
  // Builds for web pages.
  "node-forge": ["dist", "flash"],
  // Test data and builds for web pages, of a tree that prom-client keeps quantiles in.
  "bintrees": ["test", "dist", "examples"],
  // Builds for the module system that we do not load.
  "sucrase": ["dist/esm", "dist/types"],
  "tar": ["dist/commonjs"],
};

/** Source maps and type declarations, of any package. */
const UNUSED_KINDS = /\.(map|d\.[cm]?ts)$/;

interface NpmPackage {
  readonly name: string;
  readonly localPath: string;
}

/**
 * Absolute paths for `deno compile --exclude`.
 *
 * @throws {Error} When a package no longer has what is to be left out, so that this list stays true.
 */
export async function unusedFiles(root: string, config: string): Promise<string[]> {
  // The Deno that runs the build: all versions share a cache, and older ones do not tell the paths in it.
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--config", config, "main.ts"],
    cwd: root,
    stderr: "null",
  }).output();
  const packages: NpmPackage[] = Object.values(JSON.parse(new TextDecoder().decode(stdout)).npmPackages);
  const unused: string[] = [];
  // Optional packages that this system has no use for are named, but not there.
  for (const { name, localPath } of packages.filter((each) => each.localPath !== "")) {
    const named = (UNUSED[name] ?? []).map((path) => join(localPath, path));
    for (const path of named) await mustExist(name, path);
    unused.push(...named, ...await filesOf(localPath, named));
  }
  return unused;
}

async function mustExist(name: string, path: string): Promise<void> {
  await Deno.stat(path).catch((cause) => {
    throw new Error(`"${name}" has no "${path}" any more: ${messageOf(cause)}`, { cause });
  });
}

/** Files of the unused kinds below a folder, without the folders that are left out as a whole. */
async function filesOf(folder: string, leftOut: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (leftOut.includes(path)) continue;
    if (entry.isDirectory) found.push(...await filesOf(path, leftOut));
    else if (UNUSED_KINDS.test(entry.name)) found.push(path);
  }
  return found;
}
