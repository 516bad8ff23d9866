/**
 * Worker of `parent_watch.ts`: kills its process some time after the process that started it is gone.
 */

import { workerData } from "node:worker_threads";

/** How often to look. With the grace below, what is blocked is gone 3.5 seconds after its parent at most. */
const INTERVAL_MS = 1000;

/** For an event loop that is not blocked: it leaves by itself before that, and kills a stuck browser on its way. */
const GRACE_MS = 2500;

const parent: number = workerData;
const timer = setInterval(() => {
  if (isRunning(parent)) return;
  clearInterval(timer);
  setTimeout(() => Deno.kill(Deno.pid, "SIGKILL"), GRACE_MS);
}, INTERVAL_MS);

/**
 * Whether the parent still runs. Unix systems give an orphan another parent. Windows does not; there the limits
 * at the end of input are the only guards.
 */
function isRunning(pid: number): boolean {
  return Deno.ppid === pid;
}
