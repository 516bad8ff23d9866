/**
 * An output directory that belongs to one session: upstream names files by what a site suggests or by the time, so
 * sessions with one directory would overwrite, and with `--output-max-size` remove, each other's.
 */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { temporaryRoot } from "../platform/private_directory.ts";
import type { Settings } from "../settings/settings.ts";
import { OUTPUT_DIR, outputDirectory } from "./output_directory.ts";
import { type JsonObject, upstreamOption } from "./upstream_option.ts";

/**
 * Below the directory that the settings choose, so that users find the files, also after the session.
 *
 * @param name of the directory, different for each session
 */
export async function withSessionOutput<S extends Pick<Settings, "upstreamArgs">>(
  settings: S,
  env: Readonly<Record<string, string>>,
  config: JsonObject,
  name: string,
): Promise<S> {
  const sources = { upstreamArgs: settings.upstreamArgs, env, config };
  const workingDirectory = Deno.cwd();
  // Upstream's own rule for a working directory that nobody chose.
  const root = upstreamOption(sources, OUTPUT_DIR) !== undefined || await takesFiles(workingDirectory)
    ? workingDirectory
    : temporaryRoot(env);
  const own = { flag: OUTPUT_DIR.flag, values: [join(outputDirectory(sources, root), name)] };
  const others = settings.upstreamArgs.filter(({ flag }) => flag !== OUTPUT_DIR.flag);
  return { ...settings, upstreamArgs: [...others, own] };
}

/** Whether files may go there; a service or a desktop program often starts us at the root. */
async function takesFiles(directory: string): Promise<boolean> {
  if (directory === "/") return false;
  try {
    await access(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
