/**
 * Ends the upstream process when the bridge is gone, however the bridge went. End of standard input is what
 * normally does it, but a process whose event loop is blocked, by code of a page or of a tool call, does not
 * notice that.
 */

import type { Buffer } from "node:buffer";
import process from "node:process";

/**
 * How long upstream may take to close its browser after the end of input. Less than the five seconds after
 * which nothing of a dead bridge may be left, more than the half second that closing usually takes.
 */
const EXIT_LIMIT_MS = 4000;

/** What a client's first tool call contains. Nothing before that runs long or runs code of others. */
const TOOL_CALL = '"tools/call"';

/**
 * Starts both guards: a limit for the way out after the end of input, and, at the first tool call, a worker that
 * watches the parent. The worker comes late because it costs 17 MB and 40 ms, which a client that only lists
 * the tools should not pay. To be called before upstream reads its input.
 */
export function endWithParent(): void {
  const parent = Deno.ppid;
  const { stdin } = process;
  stdin.once("end", () => {
    Deno.unrefTimer(setTimeout(() => Deno.kill(Deno.pid, "SIGKILL"), EXIT_LIMIT_MS));
    // Upstream leaves at `close`, which Node emits after `end` and Deno (2.7.11, 2.9.6) does not.
    stdin.emit("close");
  });
  onFirstToolCall(() => {
    const worker = new Worker(new URL("./parent_watch_worker.ts", import.meta.url), { type: "module" });
    worker.postMessage(parent);
  });
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
