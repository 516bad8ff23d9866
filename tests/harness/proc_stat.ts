/**
 * What Linux tells about a process in /proc: its place in the tree, and what it uses.
 */

export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  /** One letter; Z and X are dead. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. A pid and its start time together name one process for good. */
  readonly startTime: number;
  /** Clock ticks of CPU, user and system. */
  readonly cpuTicks: number;
  /** The same of the children that were waited for. */
  readonly reapedCpuTicks: number;
}

/** USER_HZ, which is 100 on every Linux that Deno runs on. */
const TICKS_PER_SECOND = 100;

/** Reads /proc/PID/stat, or gives undefined for a process that is not there. */
export function readStat(pid: number | "self"): ProcessStat | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(`/proc/${pid}/stat`);
  } catch {
    return undefined;
  }
  // The name stands in parentheses and may contain anything, so the fields count from the last one.
  const end = text.lastIndexOf(")");
  const fields = text.slice(end + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid: Number(text.slice(0, text.indexOf(" "))),
    name: text.slice(text.indexOf("(") + 1, end),
    state: fields[0] ?? "X",
    parent: field(4),
    group: field(5),
    session: field(6),
    startTime: field(22),
    cpuTicks: field(14) + field(15),
    reapedCpuTicks: field(16) + field(17),
  };
}

/** Every process of the machine. */
export function readAllStats(): ProcessStat[] {
  const stats: ProcessStat[] = [];
  for (const entry of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(entry.name)) continue;
    const stat = readStat(Number(entry.name));
    if (stat !== undefined) stats.push(stat);
  }
  return stats;
}

/** Whether the process still runs. A zombie does not: where nobody reaps, it stays listed for ever. */
export function isRunning(stat: ProcessStat | undefined): stat is ProcessStat {
  return stat !== undefined && stat.state !== "Z" && stat.state !== "X";
}

/** Resident and peak resident memory in bytes, or undefined when the process is gone. */
export function readMemory(pid: number): { residentBytes: number; peakBytes: number } | undefined {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/status`);
    const kibibytes = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(text)?.[1]);
    return { residentBytes: kibibytes("VmRSS") * 1024, peakBytes: kibibytes("VmHWM") * 1024 };
  } catch {
    return undefined;
  }
}

/** Number of open file descriptors, or undefined when the process is gone. */
export function countOpenFiles(pid: number): number | undefined {
  try {
    return Array.from(Deno.readDirSync(`/proc/${pid}/fd`)).length;
  } catch {
    return undefined;
  }
}

/** CPU seconds of all child processes of this test process that have ended, with their own ended children. */
export function endedChildrenCpuSeconds(): number {
  return (readStat("self")?.reapedCpuTicks ?? 0) / TICKS_PER_SECOND;
}
