import { descendantsOf } from "../../src/platform/process_tree.ts";

/** Resident memory of a process and everything below it, in MB; pages that two share count twice. */
export async function treeMemoryMb(pid: number): Promise<number> {
  const pids = [pid, ...(await descendantsOf(pid)).map((ref) => ref.pid)];
  const sizes = await Promise.all(pids.map(async (each) => {
    const status = await Deno.readTextFile(`/proc/${each}/status`);
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  }));
  return sizes.reduce((sum, size) => sum + size, 0);
}
