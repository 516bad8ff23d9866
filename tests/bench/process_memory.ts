import { descendantsOf } from "../../src/platform/process_tree.ts";

/** Resident memory of a process and everything below it, in MB; pages that two share count twice. */
export async function treeMemoryMb(pid: number): Promise<number> {
  const pids = [pid, ...(await descendantsOf(pid)).map((ref) => ref.pid)];
  const sizes = await Promise.all(pids.map(memoryMb));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Resident memory of one process, in MB. */
export function memoryMb(pid: number): Promise<number> {
  return statusMb(pid, "VmRSS");
}

/** The most that its resident memory has been since `forgetPeak`, in MB. */
export function peakMemoryMb(pid: number): Promise<number> {
  return statusMb(pid, "VmHWM");
}

/** See proc(5), /proc/pid/clear_refs. */
export async function forgetPeak(pid: number): Promise<void> {
  await Deno.writeTextFile(`/proc/${pid}/clear_refs`, "5", { create: false });
}

async function statusMb(pid: number, field: string): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024;
}
