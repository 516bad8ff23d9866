/**
 * Which processes run a browser out of a directory. Known on Linux only, where it costs a look at each process.
 */

import { join, sep } from "node:path";
import { AppError } from "../errors.ts";

/** Process ids; empty where it cannot be known. */
export async function usersOf(directory: string, processes: string = "/proc"): Promise<number[]> {
  const found: number[] = [];
  let canonical: string;
  try {
    canonical = await Deno.realPath(directory);
    for await (const { name } of Deno.readDir(processes)) {
      if (!/^\d+$/.test(name)) continue;
      const executable = await Deno.readLink(join(processes, name, "exe")).catch(() => "");
      if (executable.startsWith(canonical + sep)) found.push(Number(name));
    }
  } catch {
    return found;
  }
  return found.sort((a, b) => a - b);
}

/** @throws {AppError} `locked` while a browser runs out of the directory */
export async function refuseWhileRunning(directory: string, what: string): Promise<void> {
  const [first, ...others] = await usersOf(directory);
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new AppError(
    "locked",
    `Cannot ${what} the browser in "${directory}": process ${first}${more} runs it`,
    { remedy: "Close that browser, then try again" },
  );
}
