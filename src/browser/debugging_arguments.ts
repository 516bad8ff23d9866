/**
 * Browser arguments that decide who may debug the browser and how. With managed CDP that is ours to say: Playwright has
 * the pipe, and the port is one that only the capability leads to.
 */

import { argumentKey } from "./browser_arguments.ts";

const FLAGS: readonly string[] = [
  "--remote-debugging-port",
  "--remote-debugging-address",
  "--remote-debugging-pipe",
  "--remote-allow-origins",
];

/**
 * The first such flag among the arguments, bare or with a value; undefined where there is none. Only the flag, because
 * other arguments may hold secrets.
 *
 * Chromium takes one dash for two, on Windows a slash and any case as well, and ignores blanks around an argument.
 */
export function conflictingDebuggingArgument(args: readonly string[]): string | undefined {
  return args.map(canonicalFlag).find((flag) => FLAGS.includes(flag));
}

function canonicalFlag(argument: string): string {
  return argumentKey(argument.trim()).toLowerCase().replace(/^(?:--?|\/)/, "--");
}
