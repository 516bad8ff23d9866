/**
 * An output directory that belongs to one session: upstream names files by what a site suggests or by the time, so
 * sessions with one directory would overwrite, and with `--output-max-size` remove, each other's.
 */
import { join } from "node:path";
import { temporaryRoot } from "../platform/private_directory.ts";
import type { Settings } from "../settings/settings.ts";
import { chosenOutputDirectory, defaultOutputDirectory, OUTPUT_DIR } from "./output_directory.ts";
import type { JsonObject } from "./upstream_option.ts";

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
  const parent = chosenOutputDirectory(sources, workingDirectory) ??
    await defaultOutputDirectory(workingDirectory, temporaryRoot(env));
  const own = { flag: OUTPUT_DIR.flag, values: [join(parent, name)] };
  const others = settings.upstreamArgs.filter(({ flag }) => flag !== OUTPUT_DIR.flag);
  return { ...settings, upstreamArgs: [...others, own] };
}
