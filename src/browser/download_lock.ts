/**
 * One download at a time for each cache directory, over all processes of this machine, and no half-unpacked browser
 * left by one that died.
 *
 * The lock file is a journal too: it tells when the package began to write an archive, and while it unpacks, which
 * directory is not whole yet. The kernel releases the lock of a dead process; the journal stays, and the next holder
 * removes both. A forced installation works in a staging directory and sets the old browser aside for a moment; the
 * next holder clears the one and brings back the other.
 */

import { basename, join } from "node:path";
import { AppError } from "../errors.ts";
import { pause } from "../platform/deadline.ts";

const LOCK_FILE = ".cloakbrowser-mcp-download.lock";

/** A download has two hosts of ten minutes each before the package gives up; past that the holder is stuck. */
const LONGEST_WAIT_MS = 25 * 60_000;
const POLL_MS = 250;

/** The package writes to an archive of this name until it has it; one that has not grown for this long is dead. */
const PARTIAL_ARCHIVE = /^_download_(\d+)\.(?:tar\.gz|zip)$/;
const PARTIAL_ARCHIVE_DEAD_MS = 30 * 60_000;

/** The package names an archive by the time, right before it announces the download. */
const ANNOUNCED_WITHIN_MS = 1000;

/**
 * Directories that the package unpacks into, named by a whole version; nothing else is ever removed, be it on the word
 * of a journal or by an uninstallation. Other programs keep their `chromium-1187` in the same way.
 */
export const BROWSER_DIRECTORY = /^chromium-\d+\.\d+\.\d+\.\d[\w.-]*$/;

/** Where a forced installation works until its browser is good, and where the one it replaces waits meanwhile. */
export const STAGING_DIRECTORY = ".cloakbrowser-mcp-new";
export const REPLACED_DIRECTORY = ".cloakbrowser-mcp-old";

/** A file name, at most 255 bytes on every file system, and a time. */
const LONGEST_JOURNAL = 512;

export interface DownloadLock extends Disposable {
  /** Notes that an archive is being written, since now. Synchronous, like the next one. */
  downloading(): void;
  /** Notes that this directory is being filled. Synchronous, because the package goes on at once. */
  unpackingInto(directory: string): void;
  /** The directory is whole. */
  finished(): void;
  /**
   * What was downloaded and unpacked so far is not usable: removes it. Synchronous, so that a process can end right
   * after it, before anything is written once more.
   */
  discard(): void;
}

/** Whether a journal names a directory that is not whole, or not yet. */
export async function hasUnfinishedDownload(cacheDir: string): Promise<boolean> {
  const path = join(cacheDir, LOCK_FILE);
  try {
    return (await Deno.readTextFile(path)).split("\n")[0] !== "";
  } catch {
    // On Windows nobody but the holder can read it.
    return await Deno.stat(path).then(({ size }) => size > 0, () => false);
  }
}

/** The lock, or undefined where another process has it at this moment. The directory must be there. */
export async function tryLockDownloads(cacheDir: string): Promise<DownloadLock | undefined> {
  const file = await Deno.open(join(cacheDir, LOCK_FILE), { create: true, read: true, write: true });
  try {
    if (await file.tryLock(true)) return await takeOver(file, cacheDir);
  } catch (error) {
    file.close();
    throw error;
  }
  file.close();
  return undefined;
}

async function takeOver(file: Deno.FsFile, cacheDir: string): Promise<DownloadLock> {
  const lock = new HeldLock(file, cacheDir);
  lock.discard();
  await bringBack(cacheDir);
  await removePartialArchives(cacheDir);
  return lock;
}

/** Finishes or undoes a replacement that was cut short. */
async function bringBack(cacheDir: string): Promise<void> {
  const replaced = join(cacheDir, REPLACED_DIRECTORY);
  for (const name of namesIn(replaced)) {
    const isMissing = await Deno.lstat(join(cacheDir, name)).then(() => false, () => true);
    if (isMissing && BROWSER_DIRECTORY.test(name)) {
      await Deno.rename(join(replaced, name), join(cacheDir, name));
    }
  }
  for (const name of [REPLACED_DIRECTORY, STAGING_DIRECTORY]) remove(join(cacheDir, name));
}

/**
 * Waits for the lock and cleans up after a holder that died.
 *
 * @param onWait called once when another process holds the lock
 * @returns undefined where the cache directory cannot be written: then there is nothing to guard
 * @throws {AppError} `browser_unavailable` when the other process does not come to an end
 */
export async function lockDownloads(
  cacheDir: string,
  onWait: () => void,
  longestWaitMs: number = LONGEST_WAIT_MS,
): Promise<DownloadLock | undefined> {
  const path = join(cacheDir, LOCK_FILE);
  let file: Deno.FsFile;
  try {
    await Deno.mkdir(cacheDir, { recursive: true });
    file = await Deno.open(path, { create: true, read: true, write: true });
  } catch {
    return undefined;
  }
  try {
    await waitForLock(file, path, onWait, longestWaitMs);
    return await takeOver(file, cacheDir);
  } catch (error) {
    file.close();
    throw error;
  }
}

async function waitForLock(
  file: Deno.FsFile,
  path: string,
  onWait: () => void,
  longestWaitMs: number,
): Promise<void> {
  if (await file.tryLock(true)) return;
  onWait();
  for (let waitedMs = 0; waitedMs < longestWaitMs; waitedMs += POLL_MS) {
    await pause(POLL_MS);
    if (await file.tryLock(true)) return;
  }
  throw new AppError(
    "browser_unavailable",
    `Cannot download CloakBrowser: another process has been holding "${path}" for ${
      longestWaitMs / 60_000
    } minutes`,
    { remedy: "End that process, or name a browser with --binary-path" },
  );
}

class HeldLock implements DownloadLock {
  readonly #file: Deno.FsFile;
  readonly #cacheDir: string;
  #directory = "";
  #announcedAt: number | undefined;

  constructor(file: Deno.FsFile, cacheDir: string) {
    this.#file = file;
    this.#cacheDir = cacheDir;
  }

  downloading(): void {
    this.#announcedAt = Date.now();
    this.#write();
  }

  unpackingInto(directory: string): void {
    this.#directory = basename(directory);
    this.#write();
  }

  finished(): void {
    this.#directory = "";
    this.#announcedAt = undefined;
    this.#write();
  }

  discard(): void {
    const [directory = "", announcedAt = ""] = this.#read().split("\n");
    if (BROWSER_DIRECTORY.test(directory)) remove(join(this.#cacheDir, directory));
    if (announcedAt !== "") {
      for (const name of namesIn(this.#cacheDir)) {
        const age = Number(announcedAt) - Number(PARTIAL_ARCHIVE.exec(name)?.[1]);
        if (age >= 0 && age <= ANNOUNCED_WITHIN_MS) remove(join(this.#cacheDir, name));
      }
    }
    this.finished();
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  /** Through the locked handle: on Windows another one could not read. */
  #read(): string {
    const buffer = new Uint8Array(LONGEST_JOURNAL);
    this.#file.seekSync(0, Deno.SeekMode.Start);
    return new TextDecoder().decode(buffer.subarray(0, this.#file.readSync(buffer) ?? 0));
  }

  #write(): void {
    const isEmpty = this.#directory === "" && this.#announcedAt === undefined;
    const text = isEmpty ? "" : `${this.#directory}\n${this.#announcedAt ?? ""}`;
    this.#file.truncateSync(0);
    this.#file.seekSync(0, Deno.SeekMode.Start);
    this.#file.writeSync(new TextEncoder().encode(text));
    this.#file.syncDataSync();
  }
}

function namesIn(directory: string): string[] {
  try {
    return Array.from(Deno.readDirSync(directory), ({ name }) => name);
  } catch {
    return [];
  }
}

function remove(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function removePartialArchives(cacheDir: string): Promise<void> {
  for await (const entry of Deno.readDir(cacheDir)) {
    if (!entry.isFile || !PARTIAL_ARCHIVE.test(entry.name)) continue;
    const path = join(cacheDir, entry.name);
    try {
      const changedAt = (await Deno.stat(path)).mtime?.getTime() ?? Date.now();
      if (Date.now() - changedAt > PARTIAL_ARCHIVE_DEAD_MS) await Deno.remove(path);
    } catch {
      // Gone meanwhile, or not ours to remove.
    }
  }
}
