/**
 * How much memory this process and its children may still take: what the machine has left, or its container.
 */
import { shellOutput } from "./shell.ts";

/**
 * Limit, use and the part of the use that the kernel gives back when asked, of the container that we run in: control
 * groups of version 2, then of version 1. Both lie at the top where a container has a namespace of its own.
 */
const READ_CONTAINER = `cd /sys/fs/cgroup || exit
if [ -r memory.max ]; then cat memory.max memory.current; sed -n 's/^inactive_file //p' memory.stat
elif [ -r memory/memory.limit_in_bytes ]; then cat memory/memory.limit_in_bytes memory/memory.usage_in_bytes
sed -n 's/^total_inactive_file //p' memory/memory.stat; fi`;

/** In bytes. */
export async function availableMemory(): Promise<number> {
  const machine = Deno.systemMemoryInfo().available;
  if (Deno.build.os !== "linux") return machine;
  return Math.min(machine, containerMemory(await shellOutput(READ_CONTAINER)));
}

/** @param text limit, use and reclaimable part in bytes, a line each; anything else stands for no limit */
export function containerMemory(text: string): number {
  const [limit = NaN, used = NaN, reclaimable = 0] = text.split("\n").filter((line) => line !== "").map(
    Number,
  );
  const left = limit - used + reclaimable;
  return Number.isFinite(left) ? Math.max(left, 0) : Infinity;
}
