/**
 * A directory that only this user can look into and that goes away with the process, however that dies.
 *
 * Its owner holds a kernel lock on a file inside. The kernel drops the lock when the process ends, so whoever
 * comes next can tell an abandoned directory from one in use without trusting process numbers.
 */

import { join } from "node:path";
import { AppError, messageOf } from "../errors.ts";
import { pause } from "./deadline.ts";

const LOCK_FILE = ".lock";

/** The lock file carries this name until it is locked, so that a file named {@link LOCK_FILE} always was. */
const PENDING_LOCK_FILE = ".lock.new";

/** A directory without a lock file is being made right now, unless it is older than this. */
const MAKING_MS = 60_000;

/** A browser that is just ending may still write files into a directory that is being removed. */
const REMOVE_ATTEMPTS = 20;
const REMOVE_RETRY_MS = 50;

export interface PrivateDirectory extends AsyncDisposable {
  readonly path: string;
}

/** Takes what went wrong where nothing has to stop for it. */
export type Report = (message: string, fields: { readonly path: string; readonly cause: string }) => void;

export interface PrivateDirectoryOptions {
  readonly tempRoot: string;
  /** Start of the directory's name; {@link sweepPrivateDirectories} finds it by this. */
  readonly prefix: string;
  readonly report?: Report;
}

/** Where this system puts temporary files: `TMPDIR`, on Windows `TEMP` or `TMP`, else `/tmp`. */
export function temporaryRoot(
  env: Readonly<Record<string, string>>,
  os: typeof Deno.build.os = Deno.build.os,
): string {
  if (os === "windows") return env["TEMP"] || env["TMP"] || "C:\\Windows\\Temp";
  return env["TMPDIR"] || "/tmp";
}

/** What Chromium and upstream put behind a private directory's path for their unix sockets, at the longest. */
const SOCKET_PATH = "/cloakbrowser-mcp-0123456789abcdef/t/org.chromium.Chromium.XXXXXX/SingletonSocket";

/** Longest path of a unix socket that every system takes: macOS has room for 104 bytes with the final NUL. */
const LONGEST_SOCKET_PATH = 103;

const SHORT_ROOT = "/tmp";

/**
 * Where private directories go: below `root`, unless sockets would find no room there. Then `/tmp`, where that can be
 * written: a long TMPDIR, such as that of macOS, must not keep the browser's files from going away with the session.
 */
export async function privateRoot(root: string, os: typeof Deno.build.os = Deno.build.os): Promise<string> {
  if (os === "windows" || root.length + SOCKET_PATH.length <= LONGEST_SOCKET_PATH) return root;
  try {
    await Deno.remove(await Deno.makeTempDir({ dir: SHORT_ROOT }));
    return SHORT_ROOT;
  } catch {
    return root;
  }
}

/**
 * Makes a fresh directory (mode 0700) and holds its lock until it is disposed, which removes it.
 *
 * @throws {AppError} `usage` when the temporary directory cannot be written
 */
export async function createPrivateDirectory(options: PrivateDirectoryOptions): Promise<PrivateDirectory> {
  const report = options.report ?? (() => {});
  let path: string;
  try {
    path = await Deno.makeTempDir({ dir: options.tempRoot, prefix: options.prefix });
  } catch (cause) {
    throw new AppError(
      "usage",
      `Cannot create a directory in "${options.tempRoot}": ${messageOf(cause)}`,
      { remedy: "Set TMPDIR (on Windows TEMP) to a directory that can be written", cause },
    );
  }
  let lock: Deno.FsFile | undefined;
  try {
    lock = await holdLock(path);
  } catch (error) {
    // A file system without locks: nobody can take the lock of this directory, so nobody sweeps it either.
    report("cannot lock the private directory", { path, cause: messageOf(error) });
  }
  return {
    path,
    async [Symbol.asyncDispose](): Promise<void> {
      // First, because Windows does not remove an open file; a sweeper that comes now does the same work.
      lock?.close();
      lock = undefined;
      await removeTree(path, report);
    },
  };
}

/**
 * Removes directories of this prefix whose owner is dead. Those of a live process, of another user, or reached
 * through a symbolic link stay. What cannot be removed is reported, never thrown.
 *
 * @returns the paths that were removed
 */
export async function sweepPrivateDirectories(
  tempRoot: string,
  prefix: string,
  report: Report = () => {},
): Promise<string[]> {
  const removed: string[] = [];
  try {
    for await (const entry of Deno.readDir(tempRoot)) {
      if (!entry.isDirectory || !entry.name.startsWith(prefix)) continue;
      const path = join(tempRoot, entry.name);
      try {
        using claim = await claimAbandoned(path);
        if (claim === undefined) continue;
        // The lock file last: a sweep that is cut short leaves something that the next one recognises.
        for await (const { name } of Deno.readDir(path)) {
          if (name !== LOCK_FILE) await Deno.remove(join(path, name), { recursive: true });
        }
        await Deno.remove(path, { recursive: true });
        removed.push(path);
      } catch (error) {
        // Two programs that start together sweep the same directories.
        if (error instanceof Deno.errors.NotFound) continue;
        report("cannot remove an abandoned directory", { path, cause: messageOf(error) });
      }
    }
  } catch (error) {
    report("cannot look for abandoned directories", { path: tempRoot, cause: messageOf(error) });
  }
  return removed;
}

/** The file is locked before it gets its name: a sweeper never sees an unlocked lock file of a live owner. */
async function holdLock(directory: string): Promise<Deno.FsFile> {
  const pending = join(directory, PENDING_LOCK_FILE);
  const file = await Deno.open(pending, { createNew: true, read: true, write: true, mode: 0o600 });
  try {
    if (!await file.tryLock(true)) throw new Error("the lock is taken");
    await Deno.rename(pending, join(directory, LOCK_FILE));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Makes a directory whose owner is dead ours to remove; undefined where it is not abandoned. */
async function claimAbandoned(path: string): Promise<Disposable | undefined> {
  const info = await Deno.lstat(path);
  if (!info.isDirectory || !isOurs(info)) return undefined;
  const lockPath = join(path, LOCK_FILE);
  let lockInfo: Deno.FileInfo;
  try {
    lockInfo = await Deno.lstat(lockPath);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return await wasNeverFinished(path, info) ? { [Symbol.dispose]: (): void => {} } : undefined;
  }
  if (!lockInfo.isFile) return undefined;
  const file = await Deno.open(lockPath, { read: true, write: true });
  if (await file.tryLock(true)) return file;
  file.close();
  return undefined;
}

/**
 * Its maker died between the first two steps. Anything else without our lock file was made by another program
 * that uses the same prefix, and is not ours to judge.
 */
async function wasNeverFinished(path: string, info: Deno.FileInfo): Promise<boolean> {
  const changedAt = info.mtime?.getTime() ?? Date.now();
  if (Date.now() - changedAt < MAKING_MS) return false;
  for await (const entry of Deno.readDir(path)) if (entry.name !== PENDING_LOCK_FILE) return false;
  return true;
}

/** Windows has no user numbers; there the temporary directory is the user's own. */
function isOurs(info: Deno.FileInfo): boolean {
  return info.uid === null || info.uid === Deno.uid();
}

async function removeTree(path: string, report: Report): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      await Deno.remove(path, { recursive: true });
      return;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      if (attempt === REMOVE_ATTEMPTS) {
        report("cannot remove the private directory", { path, cause: messageOf(error) });
        return;
      }
      await pause(REMOVE_RETRY_MS);
    }
  }
}
