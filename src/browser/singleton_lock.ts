/**
 * Chromium's own mark in a profile that is in use: `SingletonLock`, a symbolic link to `host-pid`, with a cookie and a
 * socket beside it. A browser that was killed leaves it. Chromium then refuses the profile where the mark names another
 * host, and upstream where the number belongs to any process at all; both happen to whoever restarts a container.
 *
 * Windows has no such mark: there the browser holds a file open, which ends with it.
 */
import { hostname } from "node:os";
import { join } from "node:path";
import { commandLineOf, startTimeOf } from "../platform/process_tree.ts";

const LOCK = "SingletonLock";
const MARKS = [LOCK, "SingletonCookie", "SingletonSocket"] as const;

/** Start times come in hundredths of a second from a clock of their own. */
const CLOCK_TOLERANCE_MS = 2_000;

/** Where the browser runs, or may run, that has the profile. */
export interface SingletonHolder {
  readonly host: string;
  readonly pid: number;
  /** Whether it runs on this machine, where that can be known. */
  readonly here: boolean;
}

/**
 * Removes the mark of a browser that has ended. The mark of one that runs, or of one on another host, stays.
 *
 * @param profile its directory
 * @param deadHost a host whose browser is known to have ended: the last owner's, which has died
 * @returns who has the profile; undefined where it is free now
 */
export async function clearStaleSingleton(
  profile: string,
  deadHost?: string,
): Promise<SingletonHolder | undefined> {
  const { marked, holder } = await findSingleton(profile, deadHost);
  if (holder !== undefined || !marked) return holder;
  for (const name of MARKS) await removeQuietly(join(profile, name));
  return undefined;
}

/** Who has a profile, as {@link clearStaleSingleton} tells it; changes nothing. */
export async function findSingleton(
  profile: string,
  deadHost?: string,
): Promise<{ readonly marked: boolean; readonly holder?: SingletonHolder }> {
  const mark = await readMark(join(profile, LOCK));
  if (mark === undefined) return { marked: false };
  const { host, pid, madeAt } = mark;
  const here = host === hostname();
  const held = here ? await holds(pid, madeAt, profile) : host !== deadHost;
  return held ? { marked: true, holder: { host, pid, here } } : { marked: true };
}

interface Mark {
  readonly host: string;
  readonly pid: number;
  /** In milliseconds since the epoch. */
  readonly madeAt: number;
}

async function readMark(path: string): Promise<Mark | undefined> {
  try {
    const target = await Deno.readLink(path);
    const madeAt = (await Deno.lstat(path)).mtime?.getTime() ?? 0;
    const [, host, pid] = /^(.+)-([1-9][0-9]*)$/.exec(target) ?? [];
    // Whatever else it is, no Chromium has made it.
    return host === undefined ? undefined : { host, pid: Number(pid), madeAt };
  } catch {
    return undefined;
  }
}

/**
 * A process that started after the mark was made only has the same number, unless it is a browser with this profile:
 * then the clock was set meanwhile.
 */
async function holds(pid: number, madeAt: number, profile: string): Promise<boolean> {
  const startedAt = await startTimeOf(pid);
  if (startedAt === undefined) return false;
  return startedAt <= madeAt + CLOCK_TOLERANCE_MS || (await commandLineOf(pid)).includes(profile);
}

async function removeQuietly(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch {
    // Gone already, or the browser will say why it cannot be had.
  }
}
