/**
 * Processes that were started on our behalf: which they are, whether they still live, and their end.
 *
 * A process is known by number *and* start time, so that a reused number is never mistaken for it. On Linux the
 * answers come from `/proc`, read by `sh`: Deno opens it to programs with all permissions only, and this one lists
 * its permissions. Elsewhere `ps` answers. Where neither is there, nothing is found.
 */

import { shellOutput } from "./shell.ts";

export interface ProcessRef {
  readonly pid: number;
  /** Kernel ticks since boot on Linux, the text of `ps -o lstart` elsewhere. */
  readonly startedAt: string;
  readonly group: number;
}

interface ProcessRow extends ProcessRef {
  readonly parent: number;
  readonly dead: boolean;
}

/** Every live process below `pid`, not including it. */
export async function descendantsOf(pid: number): Promise<ProcessRef[]> {
  const rows = await listProcesses();
  const found: ProcessRef[] = [];
  const known = new Set([pid]);
  for (let grew = true; grew;) {
    grew = false;
    for (const row of rows) {
      if (known.has(row.pid) || !known.has(row.parent)) continue;
      known.add(row.pid);
      found.push(row);
      grew = true;
    }
  }
  return found;
}

/**
 * Live processes whose environment holds `name=value`: finds a browser whose parent has died. Linux only;
 * elsewhere it finds nothing.
 */
export async function processesWithEnvironment(name: string, value: string): Promise<ProcessRef[]> {
  if (Deno.build.os !== "linux") return [];
  const files = await shellOutput('grep -lsF -e "$1" /proc/[0-9]*/environ', `${name}=${value}`);
  const pids = new Set(files.split("\n").map((file) => Number(file.split("/")[2])));
  return (await listProcesses()).filter((row) => pids.has(row.pid));
}

/** Those of `refs` that are still running. A zombie has ended. */
export async function stillAlive(refs: readonly ProcessRef[]): Promise<ProcessRef[]> {
  if (refs.length === 0) return [];
  const rows = new Map((await listProcesses()).map((row) => [row.pid, row]));
  return refs.filter((ref) => rows.get(ref.pid)?.startedAt === ref.startedAt);
}

/**
 * Kills the process groups that `refs` lead or belong to. A group that is also ours is spared; then only the
 * process itself is killed.
 */
export async function killGroups(refs: readonly ProcessRef[], signal: Deno.Signal): Promise<void> {
  const alive = await stillAlive(refs);
  const own = (await listProcesses()).find((row) => row.pid === Deno.pid)?.group;
  for (const target of new Set(alive.map((ref) => ref.group === own ? ref.pid : -ref.group))) {
    signalQuietly(target, signal);
  }
}

/** Sends a signal to a process, or to a group where `target` is negative; one that is gone is fine. */
export function signalQuietly(target: number, signal: Deno.Signal): void {
  try {
    Deno.kill(target, signal);
  } catch {
    // Gone already.
  }
}

/**
 * Bytes of memory that a process and its descendants hold, where each page that several share counts once (`Pss` of
 * proc(5)); on other systems than Linux it counts for each. Undefined where nobody can tell.
 */
export async function memoryOf(pid: number): Promise<number | undefined> {
  if (Deno.build.os === "windows") return undefined;
  const pids = [pid, ...(await descendantsOf(pid)).map((ref) => ref.pid)].map(String);
  const sizes = await shellOutput(
    Deno.build.os === "linux" ? PSS_SCRIPT : 'ps -o rss= -p "$(IFS=,; echo "$*")"',
    ...pids,
  );
  const kilobytes = sizes.split("\n").filter((line) => line.trim() !== "").map(Number);
  return kilobytes.length === 0 ? undefined : kilobytes.reduce((sum, each) => sum + each, 0) * 1024;
}

const PSS_SCRIPT =
  'for pid; do sed -n "s/^Pss: *\\([0-9]*\\) kB/\\1/p" "/proc/$pid/smaps_rollup" 2>/dev/null; done';

/**
 * When a process was started, in milliseconds since the epoch; undefined where it does not run. Good to about a second.
 */
export async function startTimeOf(pid: number): Promise<number | undefined> {
  if (Deno.build.os === "windows") return undefined;
  const row = (await listProcesses()).find((each) => each.pid === pid);
  if (row === undefined) return undefined;
  if (Deno.build.os !== "linux") return Date.parse(row.startedAt);
  const [bootSeconds, ticksPerSecond] = (await shellOutput(BOOT_SCRIPT)).split(/\s+/).map(Number);
  return (bootSeconds ?? 0) * 1000 + Number(row.startedAt) / (ticksPerSecond || DEFAULT_TICKS) * 1000;
}

/** The arguments that a process was started with, in one text; empty where it does not run. */
export async function commandLineOf(pid: number): Promise<string> {
  if (Deno.build.os === "windows") return "";
  return await shellOutput(
    Deno.build.os === "linux" ? COMMAND_LINE_SCRIPT : 'ps -o command= -p "$1"',
    String(pid),
  );
}

const COMMAND_LINE_SCRIPT = "tr '\\0' ' ' < \"/proc/$1/cmdline\"";

/** proc(5): start times count clock ticks since the boot, whose time stands in `/proc/stat`. */
const BOOT_SCRIPT = "sed -n 's/^btime //p' /proc/stat; getconf CLK_TCK";
const DEFAULT_TICKS = 100;

async function listProcesses(): Promise<ProcessRow[]> {
  const rows = Deno.build.os === "linux" ? await readProc() : await readPs();
  return rows.filter((row) => !row.dead);
}

async function readProc(): Promise<ProcessRow[]> {
  const stats = await shellOutput("cat /proc/[0-9]*/stat");
  return stats.split("\n").flatMap((stat) => parseStat(stat) ?? []);
}

/** proc(5), /proc/pid/stat: the name may hold blanks and parentheses, so fields count from the last one. */
function parseStat(stat: string): ProcessRow | undefined {
  const pid = Number.parseInt(stat, 10);
  const [state, parent, group, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startedAt = rest[16];
  if (Number.isNaN(pid) || state === undefined || startedAt === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    startedAt,
    dead: state === "Z" || state === "X",
  };
}

async function readPs(): Promise<ProcessRow[]> {
  if (Deno.build.os === "windows") return [];
  const rows = await shellOutput("ps -axo pid=,ppid=,pgid=,stat=,lstart=");
  return rows.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
    if (pid === undefined || state === undefined) return [];
    return [{
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      startedAt: started.join(" "),
      dead: state.startsWith("Z"),
    }];
  });
}
