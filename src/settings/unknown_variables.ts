/**
 * Variables with our prefix that no option reads: most often a typing mistake, which nothing else would show.
 */

import { envName, secretFileNames } from "./option.ts";
import { optionRows } from "./option_table.ts";
import { didYouMean } from "./suggest.ts";

const PREFIX = "CLOAK_PLAYWRIGHT_MCP_";

/** Every variable that sets one of our options. */
export function knownVariables(): string[] {
  return optionRows().flatMap(([key, option]) => [
    ...option.env.map(envName),
    ...(option.secret ? secretFileNames(key, option).env : []),
  ]);
}

/** One sentence for each unknown variable. */
export function unknownVariables(env: Readonly<Record<string, string>>): string[] {
  const strangers = Object.keys(env).filter((name) => name.startsWith(PREFIX)).sort();
  if (strangers.length === 0) return [];
  const known = knownVariables();
  return strangers
    .filter((name) => !known.includes(name))
    .map((name) => `${name} has no effect: no option reads it${didYouMean(name, known)}`);
}
