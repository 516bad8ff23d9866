/// <reference lib="deno.worker" />
/**
 * Worker of `parent_watch.ts`: kills its process some time after the process that started it is gone.
 */

/** How often to look. With the grace below: gone for three seconds at most. */
const INTERVAL_MS = 1000;

/** For an event loop that is not blocked, to close the browser properly. */
const GRACE_MS = 2000;

self.onmessage = ({ data: parent }: MessageEvent<number>) => {
  const timer = setInterval(() => {
    if (isRunning(parent)) return;
    clearInterval(timer);
    setTimeout(() => Deno.kill(Deno.pid, "SIGKILL"), GRACE_MS);
  }, INTERVAL_MS);
};

/**
 * Whether the parent still runs. Unix systems give an orphan another parent. Windows does not, but has no
 * signal 0 in Deno either; there the limit at the end of input is the only guard.
 */
function isRunning(parent: number): boolean {
  return Deno.ppid === parent;
}
