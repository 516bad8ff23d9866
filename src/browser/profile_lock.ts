/**
 * One owner at a time for each kept profile, over all sessions and processes of this machine.
 *
 * The kernel holds the lock and drops it with the process, so a crash frees the profile. What stands in the lock file
 * only tells others who the owner is.
 */

import { hostname } from "node:os";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import { pause } from "../platform/deadline.ts";
import { describeFileFault } from "../settings/file_fault.ts";
import { clearStaleSingleton, type SingletonHolder } from "./singleton_lock.ts";

/** In the directory of each kept profile. */
export const PROFILE_LOCK_FILE = ".cloakbrowser-mcp-profile.lock";
const POLL_MS = 100;

/** A browser whose server was killed ends by itself, but not in the same moment. */
const DYING_BROWSER_MS = 3_000;

/** Of the record of an owner. */
const LONGEST_RECORD = 1024;

export interface ProfileLock extends AsyncDisposable {
  /** The profile's directory without symbolic links. */
  readonly path: string;
}

/** Who holds a profile. */
export interface ProfileOwner {
  /** What the owner calls itself, for the message that others get. */
  readonly session: string;
}

/**
 * Makes the directory (mode 0700) where there is none, and takes its lock.
 *
 * @param waitMs how long a former owner may need to come to its end
 * @throws {AppError} `usage` for a path that cannot serve, `locked` for a profile in use
 */
export async function lockProfile(path: string, owner: ProfileOwner, waitMs: number): Promise<ProfileLock> {
  let file: Deno.FsFile;
  let canonical: string;
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    canonical = await Deno.realPath(path);
    file = await Deno.open(join(canonical, PROFILE_LOCK_FILE), {
      create: true,
      read: true,
      write: true,
      mode: 0o600,
    });
  } catch (cause) {
    throw unusable(path, cause);
  }
  try {
    const from = performance.now();
    while (!await file.tryLock(true)) {
      if (performance.now() - from >= waitMs) throw inUse(canonical, describeOwner(await readOwner(file)));
      await pause(POLL_MS);
    }
    const died = await readOwner(file);
    await awaitFree(
      canonical,
      died,
      from + (died === undefined ? waitMs : Math.max(waitMs, DYING_BROWSER_MS)),
    );
    await writeOwner(file, owner);
  } catch (error) {
    file.close();
    // A full disk shows here first.
    throw error instanceof AppError ? error : unusable(path, error);
  }
  return {
    path: canonical,
    async [Symbol.asyncDispose](): Promise<void> {
      // The file stays: a waiting process may have it open, and would lock what no longer has a name.
      await file.truncate(0);
      file.close();
    },
  };
}

/**
 * Waits until no browser has the profile, and takes away what a dead one has left.
 *
 * @param died the last owner, where it did not come to its end
 */
async function awaitFree(profile: string, died: OwnerRecord | undefined, deadline: number): Promise<void> {
  for (;;) {
    const holder = await clearStaleSingleton(profile, died?.host);
    if (holder === undefined) return;
    if (!holder.here) throw heldElsewhere(profile, holder);
    if (performance.now() >= deadline) throw inUse(profile, `the browser with process id ${holder.pid}`);
    await pause(POLL_MS);
  }
}

function unusable(path: string, cause: unknown): AppError {
  const reason = cause instanceof Deno.errors.AlreadyExists ? "it is no directory" : describeFileFault(cause);
  return new AppError("usage", `Cannot use "${path}" as profile directory: ${reason}`, { cause });
}

function inUse(path: string, owner: string | undefined): AppError {
  return new AppError("locked", `Profile "${path}" is in use${owner === undefined ? "" : ` by ${owner}`}`, {
    remedy: "End that session first, or choose another profile directory",
  });
}

function heldElsewhere(path: string, { host, pid }: SingletonHolder): AppError {
  return new AppError(
    "locked",
    `Profile "${path}" is marked as in use by a browser on host "${host}" (process id ${pid})`,
    {
      remedy:
        "End that browser, or, where it is gone for certain, remove SingletonLock from the profile; or " +
        "choose another profile directory",
    },
  );
}

/** What the lock file says of its owner. */
export interface OwnerRecord {
  readonly pid: number;
  readonly host: string | undefined;
  readonly since: string;
  readonly session: string;
}

async function writeOwner(file: Deno.FsFile, owner: ProfileOwner): Promise<void> {
  const record: OwnerRecord = {
    pid: Deno.pid,
    host: hostname(),
    since: new Date().toISOString(),
    session: owner.session,
  };
  await file.truncate(0);
  await file.seek(0, Deno.SeekMode.Start);
  await file.write(new TextEncoder().encode(JSON.stringify(record)));
}

/** In words, for a message. */
export function describeOwner(record: OwnerRecord | undefined): string | undefined {
  return record && `process ${record.pid} (session ${record.session}) since ${record.since}`;
}

/** The record, where there is one that can be read: on Windows nobody else can read a locked file. */
export async function readOwner(file: Deno.FsFile): Promise<OwnerRecord | undefined> {
  try {
    const buffer = new Uint8Array(LONGEST_RECORD);
    return JSON.parse(new TextDecoder().decode(buffer.subarray(0, await file.read(buffer) ?? 0)));
  } catch {
    return undefined;
  }
}
