/** An unpacked Chrome extension on disk: Chromium starts without one that it cannot read, and says nothing. */

import { join } from "node:path";
import { describeFileFault } from "./file_fault.ts";

/** What is wrong with the directory, as the end of a sentence; undefined when nothing is. */
export async function extensionProblem(path: string): Promise<string | undefined> {
  try {
    if (!(await Deno.stat(path)).isDirectory) return "it is no directory";
    for await (const _ of Deno.readDir(path)) break;
  } catch (error) {
    return describeFileFault(error);
  }
  return await manifestProblem(join(path, "manifest.json"));
}

async function manifestProblem(path: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    return error instanceof Deno.errors.NotFound
      ? "it holds no manifest.json"
      : `its manifest.json cannot be used: ${describeFileFault(error)}`;
  }
  try {
    const manifest: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof manifest === "object" && manifest !== null && "manifest_version" in manifest) return undefined;
    return 'its manifest.json names no "manifest_version"';
  } catch {
    // Chromium takes comments in it; only what is nothing like JSON is refused.
    return /"manifest_version"\s*:/.test(text) ? undefined : "its manifest.json is not JSON";
  }
}
