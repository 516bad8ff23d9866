/**
 * Who uses a kept profile, found without disturbing anybody.
 */
import { join } from "node:path";
import { describeOwner, type OwnerRecord, PROFILE_LOCK_FILE, readOwner } from "./profile_lock.ts";
import { findSingleton, type SingletonHolder } from "./singleton_lock.ts";

export interface ProfileState {
  /** Whether a session of this product has it. */
  readonly held: boolean;
  /** Who that is, in words. */
  readonly owner?: string;
  /** A browser that has it, or has left its mark on another host, where no session of ours has it. */
  readonly browser?: SingletonHolder;
}

/** @param path a directory that is there */
export async function readProfileState(path: string): Promise<ProfileState> {
  const { held, record } = await readLock(join(path, PROFILE_LOCK_FILE));
  const owner = describeOwner(record);
  if (held) return owner === undefined ? { held } : { held, owner };
  // What a server that died has left is its own browser's.
  const { holder } = await findSingleton(path, record?.host);
  return holder === undefined ? { held } : { held, browser: holder };
}

async function readLock(path: string): Promise<{ held: boolean; record?: OwnerRecord | undefined }> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { held: false };
    throw error;
  }
  using open = file;
  const record = await readOwner(open);
  // An owner that ended in order has emptied its record. Only after a crash, then, does a look take the lock, shared
  // and for no longer than it takes to close the file.
  if (record === undefined && (await open.stat()).size === 0) return { held: false };
  return { held: !await open.tryLock(false), record };
}
