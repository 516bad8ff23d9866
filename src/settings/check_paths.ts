/**
 * Checks the paths of the settings against the disk before anything starts, so that a wrong one is a usage error that
 * names it and not a fault in the middle of a call. Leaves nothing behind.
 */

import { dirname, join, resolve } from "node:path";
import { AppError } from "../errors.ts";
import { canUseCdp } from "./cdp_rules.ts";
import { extensionProblem } from "./extension_directory.ts";
import { describeFileFault } from "./file_fault.ts";
import { nameOrigin, type Origin } from "./origin.ts";
import type { ResolvedSettings, UpstreamSetting } from "./settings.ts";
import { upstreamFlag } from "./upstream_flags.ts";

/** The few things that the checks do to the disk. */
export interface Disk {
  stat(path: string): Promise<{ readonly isFile: boolean; readonly isDirectory: boolean }>;
  /** Opens for reading and closes again. */
  tryReading(path: string): Promise<void>;
  /** Makes a file in a directory and removes it again. */
  tryWriting(directory: string): Promise<void>;
}

export interface CheckPathsInput {
  readonly resolved: ResolvedSettings;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly disk?: Disk;
}

/**
 * @throws {AppError} `usage`, with one line for every path that cannot be used
 */
export async function checkPaths(input: CheckPathsInput): Promise<void> {
  const problems = await pathProblems(input);
  if (problems.length > 0) throw new AppError("usage", problems.join("\n"));
}

/** One line for every path that cannot be used. */
export async function pathProblems(input: CheckPathsInput): Promise<string[]> {
  const { resolved, env, cwd, disk = DISK } = input;
  const { settings, origins, upstream } = resolved;
  const files: Named[] = [];
  const directories: Named[] = [];
  const keys = [
    ...ALWAYS_READ,
    ...(settings.transport === "stdio" ? [] : READ_FOR_HTTPS),
    ...(canUseCdp(settings) ? READ_FOR_CDP : []),
  ];
  for (const key of keys) {
    const path = settings[key];
    if (path !== undefined) files.push({ path, origin: origins[key] });
  }
  for (const path of settings.initPages) files.push({ path, origin: origins.initPages });
  const located = ({ values, origin }: UpstreamSetting): Named[] =>
    values.filter((value) => value.trim() !== "").map((value) => ({
      path: resolve(cwd, value.trim()),
      origin,
    }));
  files.push(...upstream.filter(({ flag }) => upstreamFlag(flag)?.path === "readable").flatMap(located));
  for (const written of WRITTEN_DIRECTORIES) {
    // Upstream uses the last of a repeated flag.
    const last = upstream.findLast(({ flag }) => flag === written);
    if (last !== undefined) directories.push(...located(last));
  }
  const problems = await Promise.all([
    ...files.map((file) => fileProblem(file, disk)),
    ...directories.map((directory) => directoryProblem(directory, disk)),
    existingDirectoryProblem(temporaryDirectory(env, cwd), disk),
    ...settings.extensionPaths.map((path) => extensionFault({ path, origin: origins.extensionPaths })),
    settings.transport === "stdio" || settings.httpSocket === undefined
      ? undefined
      : existingDirectoryProblem({ path: dirname(settings.httpSocket), origin: origins.httpSocket }, disk),
  ]);
  return problems.filter((problem) => problem !== undefined);
}

const ALWAYS_READ = ["binaryPath", "upstreamConfigPath"] as const;
const READ_FOR_HTTPS = ["httpsCert", "httpsKey", "httpsPfx"] as const;
const READ_FOR_CDP = ["cdpTlsCert", "cdpTlsKey"] as const;

interface Named {
  readonly path: string;
  readonly origin: Origin;
}

const WRITTEN_DIRECTORIES: readonly string[] = ["--output-dir", "--user-data-dir"];

async function fileProblem({ path, origin }: Named, disk: Disk): Promise<string | undefined> {
  const refuse = (reason: string): string => `Cannot use "${path}" for ${nameOrigin(origin)}: ${reason}`;
  try {
    const stat = await disk.stat(path);
    if (stat.isDirectory) return refuse("it is a directory");
    if (!stat.isFile) return refuse("it is no regular file");
    await disk.tryReading(path);
    return undefined;
  } catch (error) {
    return refuse(describeFileFault(error));
  }
}

async function extensionFault({ path, origin }: Named): Promise<string | undefined> {
  const problem = await extensionProblem(path);
  return problem && `Cannot use "${path}" for ${nameOrigin(origin)}: ${problem}`;
}

/** A directory that does not exist yet is fine where its nearest ancestor that does exist can be written to. */
async function directoryProblem(named: Named, disk: Disk): Promise<string | undefined> {
  let place = named.path;
  while (place !== dirname(place) && await isMissing(place, disk)) place = dirname(place);
  if (place === named.path) return await existingDirectoryProblem(named, disk);
  const problem = await writeProblem(place, disk);
  return problem && refuseWriting(named, `it does not exist and cannot be created in "${place}": ${problem}`);
}

async function existingDirectoryProblem(named: Named, disk: Disk): Promise<string | undefined> {
  const problem = await writeProblem(named.path, disk);
  return problem && refuseWriting(named, problem);
}

function refuseWriting({ path, origin }: Named, reason: string): string {
  return `Cannot write to "${path}" for ${nameOrigin(origin)}: ${reason}`;
}

async function isMissing(path: string, disk: Disk): Promise<boolean> {
  try {
    await disk.stat(path);
    return false;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}

async function writeProblem(directory: string, disk: Disk): Promise<string | undefined> {
  try {
    if (!(await disk.stat(directory)).isDirectory) return "it is no directory";
  } catch (error) {
    return describeFileFault(error);
  }
  try {
    await disk.tryWriting(directory);
    return undefined;
  } catch (error) {
    // Some file systems answer so where nothing can be created.
    return error instanceof Deno.errors.NotFound ? "it takes no files" : describeFileFault(error);
  }
}

/** The system's directory for temporary files and the variable that chooses it. */
function temporaryDirectory(env: Readonly<Record<string, string>>, cwd: string): Named {
  const names = Deno.build.os === "windows" ? ["TMP", "TEMP", "USERPROFILE"] : ["TMPDIR"];
  const name = names.find((candidate) => (env[candidate] ?? "") !== "") ?? "TMPDIR";
  return { path: resolve(cwd, env[name] || "/tmp"), origin: { kind: "env", name } };
}

const DISK: Disk = {
  async stat(path): ReturnType<Disk["stat"]> {
    return await Deno.stat(path);
  },
  async tryReading(path): Promise<void> {
    (await Deno.open(path, { read: true })).close();
  },
  async tryWriting(directory): Promise<void> {
    const path = join(directory, `.cloakbrowser-mcp-${crypto.randomUUID()}`);
    (await Deno.open(path, { write: true, createNew: true })).close();
    await Deno.remove(path);
  },
};
