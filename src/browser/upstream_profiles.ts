/**
 * The profiles that upstream keeps by itself, one for each workspace: `mcp-<browser>-<workspace>` in its cache directory.
 */
import { join } from "node:path";
import { clearStaleSingleton } from "./singleton_lock.ts";

const DIRECTORY = "ms-playwright-mcp";
const PREFIX = "mcp-";

/**
 * Removes the marks of browsers that have ended from all of them: upstream refuses a profile whose mark names a
 * process that runs, whatever that is. Where there are none, or they cannot be read, nothing happens.
 */
export async function clearUpstreamProfiles(env: Readonly<Record<string, string>>): Promise<void> {
  const directory = upstreamProfiles(env);
  if (directory === undefined) return;
  try {
    for await (const { name, isDirectory } of Deno.readDir(directory)) {
      if (isDirectory && name.startsWith(PREFIX)) await clearStaleSingleton(join(directory, name));
    }
  } catch {
    // Upstream will make it, or say why it cannot.
  }
}

/** Where upstream keeps them; undefined on Windows, whose browsers leave no mark. */
export function upstreamProfiles(
  env: Readonly<Record<string, string>>,
  os: typeof Deno.build.os = Deno.build.os,
): string | undefined {
  const home = env["HOME"];
  if (os === "windows" || !home) return undefined;
  const cache = os === "darwin"
    ? join(home, "Library", "Caches")
    : env["XDG_CACHE_HOME"] || join(home, ".cache");
  return join(cache, DIRECTORY);
}
