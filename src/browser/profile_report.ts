/**
 * What `cloakbrowser_bridge_info` tells about the profile of a session's browser.
 */
import { join } from "node:path";
import type { Settings } from "../settings/settings.ts";
import { ISOLATED, keptProfile } from "./private_profile.ts";
import { upstreamChoice } from "./upstream_choice.ts";
import { type JsonObject, upstreamOption } from "./upstream_option.ts";

/**
 * `kept`: the directory that the user has named; `session`: a directory that goes with the session; `workspace`: one
 * that upstream keeps for the client's workspace; `isolated`: in memory; `none`: the browser was not started here.
 */
export type ProfileKind = "kept" | "session" | "workspace" | "isolated" | "none";

export interface ProfilePlace {
  readonly kind: ProfileKind;
  /** The directory, where it is known. */
  readonly path: string | undefined;
}

/** A profile has a few thousand files; whatever has more is counted so far. */
const MOST_FILES = 50_000;

/**
 * Where the browser of a session keeps its profile.
 *
 * @param wished the settings as the user has them
 * @param settings the session's, with a directory of its own where it has one
 * @param kept the user's directory without symbolic links
 */
export function profilePlace(
  wished: Settings,
  settings: Settings,
  env: Readonly<Record<string, string>>,
  config: JsonObject,
  kept: string | undefined,
): ProfilePlace {
  const sources = { upstreamArgs: settings.upstreamArgs, env, config };
  if (upstreamChoice(sources)?.kind === "attach") return { kind: "none", path: undefined };
  if (kept !== undefined) return { kind: "kept", path: kept };
  const own = keptProfile(settings, env, config);
  if (own !== undefined && keptProfile(wished, env, config) === undefined) {
    return { kind: "session", path: own };
  }
  const isolated = upstreamOption(sources, ISOLATED)?.value;
  const inMemory = isolated !== undefined && isolated !== false && isolated !== "false";
  return { kind: inMemory ? "isolated" : "workspace", path: undefined };
}

/** Size and age of the profile as it is now; null where there is no directory, or none yet. */
export async function reportProfile({ kind, path }: ProfilePlace): Promise<JsonObject> {
  const created = path === undefined ? undefined : await createdAt(path);
  return {
    kind,
    path: path ?? null,
    sizeBytes: path === undefined || created === undefined ? null : await sizeOf(path),
    createdAt: created?.toISOString() ?? null,
  };
}

async function createdAt(path: string): Promise<Date | undefined> {
  try {
    const { birthtime, mtime } = await Deno.stat(path);
    return birthtime ?? mtime ?? undefined;
  } catch {
    return undefined;
  }
}

/** Bytes in all files; those that the browser removes meanwhile do not count. */
async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  let files = 0;
  const waiting = [directory];
  for (let at = waiting.pop(); at !== undefined && files < MOST_FILES; at = waiting.pop()) {
    try {
      for await (const entry of Deno.readDir(at)) {
        const path = join(at, entry.name);
        if (entry.isDirectory) waiting.push(path);
        else if (entry.isFile) bytes += (await Deno.lstat(path)).size;
        files += 1;
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return bytes;
}
