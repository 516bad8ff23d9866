/**
 * One owner at a time for each kept profile, over all sessions and processes of this machine.
 *
 * The kernel holds the lock and drops it with the process, so a crash frees the profile. What stands in the lock file
 * only tells others who the owner is.
 */

import { join } from "node:path";
import { AppError } from "../errors.ts";
import { pause } from "../platform/deadline.ts";
import { describeFileFault } from "../settings/file_fault.ts";

/** In the directory of each kept profile. */
export const PROFILE_LOCK_FILE = ".cloakbrowser-mcp-profile.lock";
const POLL_MS = 100;

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
    const reason = cause instanceof Deno.errors.AlreadyExists
      ? "it is no directory"
      : describeFileFault(cause);
    throw new AppError("usage", `Cannot use "${path}" as profile directory: ${reason}`, { cause });
  }
  try {
    for (let waitedMs = 0; !await file.tryLock(true); waitedMs += POLL_MS) {
      if (waitedMs >= waitMs) throw inUse(canonical, await readOwner(file));
      await pause(POLL_MS);
    }
    await writeOwner(file, owner);
  } catch (error) {
    file.close();
    throw error;
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

function inUse(path: string, owner: string | undefined): AppError {
  return new AppError("locked", `Profile "${path}" is in use${owner === undefined ? "" : ` by ${owner}`}`, {
    remedy: "End that session first, or choose another profile directory",
  });
}

async function writeOwner(file: Deno.FsFile, owner: ProfileOwner): Promise<void> {
  const record = { pid: Deno.pid, since: new Date().toISOString(), session: owner.session };
  await file.truncate(0);
  await file.write(new TextEncoder().encode(JSON.stringify(record)));
}

/** The owner in words, where the record can be read: on Windows nobody else can read a locked file. */
export async function readOwner(file: Deno.FsFile): Promise<string | undefined> {
  try {
    const buffer = new Uint8Array(LONGEST_RECORD);
    const { pid, since, session } = JSON.parse(
      new TextDecoder().decode(buffer.subarray(0, await file.read(buffer) ?? 0)),
    );
    return `process ${pid} (session ${session}) since ${since}`;
  } catch {
    return undefined;
  }
}
