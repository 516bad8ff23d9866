/**
 * The `upstream` object of a settings file: flags of Playwright MCP by their name, in camelCase or as on the command
 * line.
 */

import { resolve } from "node:path";
import { isStringArray } from "./grammar.ts";
import { camelCase, kebabCase } from "./option.ts";
import { nameOrigin, type Origin } from "./origin.ts";
import type { UpstreamSetting } from "./settings.ts";
import { didYouMean } from "./suggest.ts";
import { forwardedFlags, type UpstreamFlag, upstreamFlag } from "./upstream_flags.ts";

export interface UpstreamFileValues {
  /** Absolute path of the settings file. */
  readonly path: string;
  readonly values: ReadonlyMap<string, unknown>;
}

/** Settings by upstream flag, from the file's `upstream` object. */
export function readUpstreamFile(
  file: UpstreamFileValues | undefined,
  problems: string[],
): ReadonlyMap<string, readonly UpstreamSetting[]> {
  const settings = new Map<string, readonly UpstreamSetting[]>();
  for (const [key, value] of file?.values ?? []) {
    const path = file?.path ?? "";
    const origin: Origin = { kind: "file", path, key: `upstream.${key}` };
    const named = rowOfFileKey(key);
    if (named === undefined) {
      problems.push(`Unknown key ${nameOrigin(origin)}${didYouMean(key, upstreamFileKeys())}`);
    } else if (named.row.ours !== undefined) {
      problems.push(
        `Cannot use ${nameOrigin(origin)}: set "${named.row.ours}" at the top of the file instead`,
      );
    } else if (named.row.refused) {
      problems.push(refusal(origin));
    } else {
      const texts = occurrences(named.row, named.inverted, value, path);
      if (typeof texts === "string") {
        problems.push(`Cannot use ${nameOrigin(origin)}: it ${texts}`);
      } else {
        settings.set(
          named.row.flag,
          texts.map((values) => ({ flag: named.row.flag, values, origin, argument: true })),
        );
      }
    }
  }
  return settings;
}

/** Values of each occurrence of the flag, or what is wrong as the end of a sentence. */
function occurrences(
  row: UpstreamFlag,
  inverted: boolean,
  value: unknown,
  path: string,
): readonly (readonly string[])[] | string {
  if (row.arity === "switch") {
    if (typeof value !== "boolean") return "must be true or false, without quotes";
    return value === inverted ? [] : [[]];
  }
  if (row.form === "number" && typeof value === "number") return [[String(value)]];
  if (typeof value === "string") return [[located(row, value, path)]];
  if (isStringArray(value)) {
    if (row.separator !== undefined) return [[value.join(row.separator)]];
    if (row.arity === "variadic") return value.map((item) => [located(row, item, path)]);
  }
  if (row.form === "number") return "must be a number";
  return row.separator !== undefined || row.arity === "variadic"
    ? "must be a string or an array of strings"
    : "must be a string";
}

/** A path in the file counts from the file's directory; as a flag it would count from the working directory. */
function located(row: UpstreamFlag, value: string, path: string): string {
  return row.path === undefined || value === "" ? value : resolve(path, "..", value);
}

export function refusal(origin: Origin): string {
  return `Cannot use ${
    nameOrigin(origin)
  }: every HTTP session has a browser and a private profile of its own, and none ` +
    "shares its pages or cookies with another. Leave it out; --storage-state gives all sessions the same login";
}

/** Names that the `upstream` object of a settings file may use. */
export function upstreamFileKeys(): string[] {
  return forwardedFlags().map(upstreamFileKey);
}

function rowOfFileKey(key: string): { readonly row: UpstreamFlag; readonly inverted: boolean } | undefined {
  const name = kebabCase(key);
  const row = upstreamFlag(`--${name}`);
  if (row !== undefined) return { row, inverted: false };
  const negative = upstreamFlag(`--no-${name}`);
  return negative === undefined ? undefined : { row: negative, inverted: true };
}

/** Name of an upstream flag in a file; `webmcp` for `--no-webmcp`, because a switch is true or false there. */
export function upstreamFileKey(row: UpstreamFlag): string {
  return camelCase(row.flag.replace(/^--(no-)?/, ""));
}
