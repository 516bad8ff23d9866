/**
 * Ends the child soon after its input has: upstream closes its browser then, but timers of its last calls would keep the
 * process for five seconds more.
 */
import process from "node:process";
import { pause } from "../platform/deadline.ts";
import { descendantsOf, stillAlive } from "../platform/process_tree.ts";

const LOOK_EVERY_MS = 50;

/** For what upstream still writes when its browser has gone, such as a recording of the session. */
const LAST_WRITES_MS = 150;

/** Without a way to see what we have started nothing is hurried. */
const CAN_LOOK = Deno.build.os !== "windows";

/** A process that ends by itself before does so. */
export function endAfterInput(): void {
  if (!CAN_LOOK) return;
  process.stdin.once("end", async () => {
    do await pause(LOOK_EVERY_MS); while (await hasChildren());
    await pause(LAST_WRITES_MS);
    process.exit(0);
  });
}

/** Looked at twice: the shell that looks the first time is a child too. */
async function hasChildren(): Promise<boolean> {
  return (await stillAlive(await descendantsOf(Deno.pid))).length > 0;
}
