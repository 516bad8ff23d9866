/**
 * Who uses a kept profile, found without disturbing anybody.
 */
import { join } from "node:path";
import { shellOutput } from "../platform/shell.ts";
import { PROFILE_LOCK_FILE, readOwner } from "./profile_lock.ts";

export interface ProfileState {
  /** Whether a session of this product has it. */
  readonly held: boolean;
  /** Who that is, in words. */
  readonly owner?: string;
  /** A live Chromium on this machine that has it open, where no session of ours does. */
  readonly browserPid?: number;
  /** Another machine, or a container of another name, whose Chromium has not taken its mark off the profile. */
  readonly otherHost?: string;
}

/** @param path a directory that is there */
export async function readProfileState(path: string): Promise<ProfileState> {
  const ours = await readLock(join(path, PROFILE_LOCK_FILE));
  if (ours.held) return ours;
  return { ...ours, ...await findBrowser(path) };
}

async function readLock(path: string): Promise<ProfileState> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { held: false };
    throw error;
  }
  using open = file;
  const owner = await readOwner(open);
  // An owner that ended in order has emptied its record. Only after a crash, then, does a look take the lock, shared
  // and for no longer than it takes to close the file.
  if (owner === undefined && (await open.stat()).size === 0) return { held: false };
  if (await open.tryLock(false)) return { held: false };
  return owner === undefined ? { held: true } : { held: true, owner };
}

/** Chromium leaves a link whose target is `host-pid`, and leaves it behind when it is killed. */
async function findBrowser(path: string): Promise<Pick<ProfileState, "browserPid" | "otherHost">> {
  let target: string;
  try {
    target = await Deno.readLink(join(path, "SingletonLock"));
  } catch {
    return {};
  }
  const [, host, pid] = /^(.*)-(\d+)$/.exec(target) ?? [];
  if (host === undefined || pid === undefined) return {};
  if (host !== Deno.hostname()) return { otherHost: host };
  // A number that another program has by now is no browser.
  const program = await shellOutput('cat "/proc/$1/comm" 2>/dev/null || ps -p "$1" -o comm=', pid);
  return /chrom|edge/i.test(program) ? { browserPid: Number(pid) } : {};
}
