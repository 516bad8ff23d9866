/**
 * Ends the upstream process when the bridge is gone, however the bridge went. End of standard input is what
 * normally does it, but a process whose event loop is blocked, by code of a page or of a tool call, does not
 * notice that.
 */

import type { Buffer } from "node:buffer";
import process from "node:process";
import { Worker } from "node:worker_threads";

/**
 * After the end of input upstream closes its browser and runs out of things to do, usually within half a second.
 * If it has not by then, a stuck browser is killed. Sooner where the bridge is dead, because the worker
 * kills this process soon after that, and nobody would be left to kill the browser.
 */
const LEAVE_AFTER_MS = 3000;
const LEAVE_ORPHANED_AFTER_MS = 1500;

/** And after this the process is killed. Nothing of a dead bridge may be left after five seconds. */
const KILL_AFTER_MS = 4000;

/** What a client's first tool call contains. Nothing before that runs long or runs code of others. */
const TOOL_CALL = '"tools/call"';

/**
 * Starts both guards: limits for the way out after the end of input, and, at the first tool call, a worker that
 * watches the parent. The worker comes late because it costs 17 MB and 40 ms, which a client that only lists
 * the tools should not pay. To be called before upstream reads its input.
 */
export function endWithParent(): void {
  const parent = Deno.ppid;
  const { stdin } = process;
  stdin.once("end", () => {
    // Node emits `close` at once, and upstream exits on it before its browser has written cookies and storage.
    // Upstream kills its browsers when the process exits.
    unrefTimeout(() => Deno.ppid === parent || process.exit(0), LEAVE_ORPHANED_AFTER_MS);
    unrefTimeout(() => process.exit(0), LEAVE_AFTER_MS);
    unrefTimeout(() => Deno.kill(Deno.pid, "SIGKILL"), KILL_AFTER_MS);
  });
  onFirstToolCall(() => {
    // Not Deno's own kind of worker, which would keep the process alive.
    new Worker(new URL("./parent_watch_worker.ts", import.meta.url), { workerData: parent }).unref();
  });
}

function unrefTimeout(act: () => void, milliseconds: number): void {
  Deno.unrefTimer(setTimeout(act, milliseconds));
}

/**
 * Reads along with upstream. A listener of ours on `data` would start the stream, and what came before
 * upstream listens would be lost; so ours is added at the moment when upstream adds its own.
 */
function onFirstToolCall(act: () => void): void {
  const { stdin } = process;
  let tail = "";
  const look = (chunk: Buffer): void => {
    const text = tail + chunk.toString("latin1");
    if (text.includes(TOOL_CALL)) {
      stdin.off("data", look);
      act();
    }
    tail = text.slice(-TOOL_CALL.length);
  };
  const join = (event: string): void => {
    if (event !== "data") return;
    stdin.off("newListener", join);
    stdin.on("data", look);
  };
  stdin.on("newListener", join);
}
