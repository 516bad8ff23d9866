/**
 * How to start this program once more: the upstream child is the same program with another first argument.
 */

import { fileURLToPath } from "node:url";

export interface SelfCommand {
  readonly command: string;
  /** Goes before the arguments of the program itself. */
  readonly args: readonly string[];
}

/** Same list as the `start` and `build` tasks use: a child from source may do what a compiled one may. */
export const PERMISSION_FLAGS: readonly string[] = [
  "--allow-run",
  "--allow-net",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-sys",
  "--no-prompt",
];

/**
 * A compiled program is its own executable. From source it is Deno with `main.ts` of this source tree, whatever
 * program has imported it (a test, the demo), and with this tree's configuration, wherever the process stands.
 */
export function selfCommand(standalone: boolean = Deno.build.standalone): SelfCommand {
  const command = Deno.execPath();
  if (standalone) return { command, args: [] };
  const root = new URL("../../", import.meta.url);
  return {
    command,
    args: [
      "run",
      "--quiet",
      "--config",
      fileURLToPath(new URL("deno.json", root)),
      ...PERMISSION_FLAGS,
      fileURLToPath(new URL("main.ts", root)),
    ],
  };
}
