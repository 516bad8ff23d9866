import { dirname, join, resolve } from "node:path";
import { OUTPUT_DIR, outputDirectory } from "../../browser/output_directory.ts";
import { upstreamOption } from "../../browser/upstream_option.ts";
import { privateRoot, temporaryRoot } from "../../platform/private_directory.ts";
import { describeFileFault } from "../../settings/file_fault.ts";
import { type Check, type CheckResult, error, ok, warning } from "../check.ts";
import { readSpace } from "../disk_space.ts";
import type { Finding } from "../report.ts";
import { type DoctorWorld, upstreamSources } from "../world.ts";

const MIB = 1024 * 1024;

/** A browser's profile and caches take a few hundred MiB in a day. */
const LITTLE_SPACE_BYTES = 200 * MIB;

/** The archive, and the browser that comes out of it. */
const DOWNLOAD_BYTES = 1024 * MIB;

/** With less no session can even keep its own small files. */
const NO_SPACE_BYTES = 4 * MIB;

/**
 * Whether the browser's files find a place: those that it gives to the user, those that go with the session, and the
 * browser itself where it has to be downloaded.
 */
export const DIRECTORIES_CHECK: Check = {
  name: "directories",
  boundMs: 10_000,
  async run(world, signal): Promise<CheckResult> {
    const sources = upstreamSources(world);
    const output = outputDirectory(sources, world.cwd);
    const chosen = upstreamOption(sources, OUTPUT_DIR) !== undefined;
    const named = resolve(world.cwd, temporaryRoot(world.env));
    const temporary = await privateRoot(named);
    return {
      findings: [
        await judgeOutput(output, chosen),
        ...await judgeTemporary(named, temporary, world, signal),
        ...await judgeCache(world, signal),
      ],
      details: { output, temporary },
    };
  },
};

/** It is made when the first file comes; so is what is above it. */
async function judgeOutput(path: string, chosen: boolean): Promise<Finding> {
  const place = await nearestDirectory(path);
  const problem = await writeProblem(place);
  if (problem === undefined) {
    return ok(`Output goes to "${path}"${place === path ? "" : ", which the first file makes"}`);
  }
  const message = `Screenshots and downloads find no place: cannot write to "${place}": ${problem}`;
  return chosen
    ? error(message, "Correct its permissions, or choose another --output-dir")
    : warning(message, "Name a directory with --output-dir, or start the server in another one");
}

/** @param named by the environment; `path` is what is used instead where that is too long */
async function judgeTemporary(
  named: string,
  path: string,
  world: DoctorWorld,
  signal: AbortSignal,
): Promise<Finding[]> {
  const problem = await writeProblem(named);
  if (problem !== undefined) {
    const remedy = "Set TMPDIR (on Windows TEMP) to a directory that can be written";
    return [error(`Cannot write to the temporary directory "${named}": ${problem}`, remedy)];
  }
  const space = world.os === "windows" ? undefined : await readSpace(path, world, signal);
  if (space !== undefined && space.freeBytes < LITTLE_SPACE_BYTES) {
    const judge = space.freeBytes < NO_SPACE_BYTES ? error : warning;
    return [
      judge(
        `The temporary directory "${path}" has ${
          inMib(space.freeBytes)
        } left, and browsers keep profiles there`,
        "Make room, or set TMPDIR to a larger file system",
      ),
    ];
  }
  return [ok(`Temporary files go to "${path}"`)];
}

/** Where CloakBrowser is downloaded to; nothing to say where that is not going to happen. */
async function judgeCache(world: DoctorWorld, signal: AbortSignal): Promise<Finding[]> {
  const subject = await world.subject().catch(() => undefined);
  if (subject?.source !== "cloakbrowser" || subject.cloakbrowser?.installed !== false) return [];
  const cache = dirname(subject.cloakbrowser.cacheDir);
  const place = await nearestDirectory(cache);
  const problem = await writeProblem(place);
  if (problem !== undefined) {
    return [
      error(
        `CloakBrowser cannot be downloaded to "${cache}": cannot write to "${place}": ${problem}`,
        "Correct its permissions, or choose another --cache-dir",
      ),
    ];
  }
  const space = world.os === "windows" ? undefined : await readSpace(place, world, signal);
  if (space === undefined || space.freeBytes >= DOWNLOAD_BYTES) return [];
  return [
    warning(
      `CloakBrowser is to be downloaded to "${cache}", which has ${
        inMib(space.freeBytes)
      } left; it needs about ` +
        inMib(DOWNLOAD_BYTES),
      "Make room, or choose another --cache-dir",
    ),
  ];
}

function inMib(bytes: number): string {
  return `${Math.floor(bytes / MIB)} MiB`;
}

/** The path itself, or the first one above it where something is. */
async function nearestDirectory(path: string): Promise<string> {
  for (let place = path;; place = dirname(place)) {
    try {
      await Deno.stat(place);
      return place;
    } catch (cause) {
      if (!(cause instanceof Deno.errors.NotFound) || place === dirname(place)) return place;
    }
  }
}

/** Why no file can be made in a directory, found out by making one and removing it. */
async function writeProblem(directory: string): Promise<string | undefined> {
  try {
    if (!(await Deno.stat(directory)).isDirectory) return "it is no directory";
    const path = join(directory, `.cloakbrowser-mcp-${crypto.randomUUID()}`);
    (await Deno.open(path, { write: true, createNew: true })).close();
    await Deno.remove(path);
    return undefined;
  } catch (cause) {
    return describeFileFault(cause);
  }
}
