/**
 * One download at a time for each cache directory, over all processes of this machine, and no half-unpacked browser
 * left by one that died.
 *
 * The lock file is a journal too: while the package unpacks, it names the directory that is not whole yet. The
 * kernel releases the lock of a dead process; the name stays, and the next holder removes that directory.
 */

import { basename, join } from "node:path";
import { AppError } from "../errors.ts";
import { pause } from "../platform/deadline.ts";

const LOCK_FILE = ".cloakbrowser-mcp-download.lock";

/** A download has two hosts of ten minutes each before the package gives up; past that the holder is stuck. */
const LONGEST_WAIT_MS = 25 * 60_000;
const POLL_MS = 250;

/** The package writes to an archive of this name until it has it; one that has not grown for this long is dead. */
const PARTIAL_ARCHIVE = /^_download_\d+\.(tar\.gz|zip)$/;
const PARTIAL_ARCHIVE_DEAD_MS = 30 * 60_000;

/** Directories that the package unpacks into; nothing else is ever removed on the word of a journal. */
const BROWSER_DIRECTORY = /^chromium-[\w.-]+$/;

/** Of a file name, on every file system. */
const LONGEST_NAME = 255;

export interface DownloadLock extends Disposable {
  /** Notes that this directory is being filled. Synchronous, because the package goes on at once. */
  unpackingInto(directory: string): void;
  /** The directory is whole. */
  finished(): void;
  /** What was unpacked so far is not usable: removes it. */
  discard(): Promise<void>;
}

/** Whether a journal names a directory that is not whole, or not yet. */
export async function hasUnfinishedDownload(cacheDir: string): Promise<boolean> {
  try {
    return (await Deno.stat(join(cacheDir, LOCK_FILE))).size > 0;
  } catch {
    return false;
  }
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
    const lock = new HeldLock(file, cacheDir);
    await lock.discard();
    await removePartialArchives(cacheDir);
    return lock;
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

  constructor(file: Deno.FsFile, cacheDir: string) {
    this.#file = file;
    this.#cacheDir = cacheDir;
  }

  unpackingInto(directory: string): void {
    this.#write(basename(directory));
  }

  finished(): void {
    this.#write("");
  }

  async discard(): Promise<void> {
    const name = this.#read();
    if (BROWSER_DIRECTORY.test(name)) {
      try {
        await Deno.remove(join(this.#cacheDir, name), { recursive: true });
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    this.#write("");
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  /** Through the locked handle: on Windows another one could not read. */
  #read(): string {
    const buffer = new Uint8Array(LONGEST_NAME);
    this.#file.seekSync(0, Deno.SeekMode.Start);
    return new TextDecoder().decode(buffer.subarray(0, this.#file.readSync(buffer) ?? 0));
  }

  #write(text: string): void {
    this.#file.truncateSync(0);
    this.#file.seekSync(0, Deno.SeekMode.Start);
    this.#file.writeSync(new TextEncoder().encode(text));
    this.#file.syncDataSync();
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
