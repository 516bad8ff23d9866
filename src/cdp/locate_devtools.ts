/**
 * Finds the DevTools endpoint of the browser that a process has started. Chromium chooses the port itself and writes
 * it into its profile directory, whose path stands on its command line; so no port is ever guessed, and nobody can
 * take it in between.
 */
import { join } from "node:path";
import { shellOutput } from "../platform/shell.ts";
import { descendantsOf } from "../platform/process_tree.ts";

export interface DevToolsAddress {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Of the browser's WebSocket, with an id that only this browser process has. */
  readonly url: string;
}

const ACTIVE_PORT_FILE = "DevToolsActivePort";

/** Between arguments, and between processes: control characters that no argument of a browser holds. */
const ARGUMENT_END = "\x1f";
const PROCESS_END = "\x1e";

const READ_COMMAND_LINES = Deno.build.os === "linux"
  ? `for pid; do tr '\\0' '\\037' < /proc/$pid/cmdline; printf '\\036'; done`
  : `for pid; do ps -ww -o command= -p $pid | sed 's/ --/\x1f--/g'; printf '\\036'; done`;

/** @returns undefined while there is none yet */
export async function locateDevTools(pid: number): Promise<DevToolsAddress | undefined> {
  const descendants = await descendantsOf(pid);
  if (descendants.length === 0) return undefined;
  const lines = await shellOutput(READ_COMMAND_LINES, ...descendants.map((process) => String(process.pid)));
  for (const profile of profilesOf(lines)) {
    try {
      const address = parseActivePort(await Deno.readTextFile(join(profile, ACTIVE_PORT_FILE)));
      if (address !== undefined) return address;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return undefined;
}

/** Profile directories of the browsers among some command lines that listen for DevTools. */
export function profilesOf(commandLines: string): string[] {
  return commandLines.split(PROCESS_END).flatMap((line) => {
    const args = line.trim().split(ARGUMENT_END);
    // Renderers and other helpers of the browser carry its arguments too.
    if (!args.includes("--remote-debugging-port=0") || args.some((arg) => arg.startsWith("--type="))) {
      return [];
    }
    const named = args.findLast((arg) => arg.startsWith("--user-data-dir="));
    return named === undefined ? [] : [named.slice("--user-data-dir=".length)];
  });
}

/** @param text the port, and on the next line the path of the browser's WebSocket */
export function parseActivePort(text: string): DevToolsAddress | undefined {
  const match = /^([0-9]{1,5})\n(\/devtools\/browser\/[A-Za-z0-9-]+)\s*$/.exec(text);
  const port = Number(match?.[1]);
  return match === null || port < 1 || port > 65_535
    ? undefined
    : { port, url: `ws://127.0.0.1:${port}${match[2]}` };
}
