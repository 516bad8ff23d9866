/**
 * What the user told `@playwright/mcp` itself, through any of its three sources.
 */

import type { UpstreamArgument } from "../settings/settings.ts";

export type JsonObject = { readonly [name: string]: unknown };

/** The user's own words to upstream. */
export interface UpstreamSources {
  /** Flags of our command line that are upstream's. */
  readonly upstreamArgs: readonly UpstreamArgument[];
  readonly env: Readonly<Record<string, string>>;
  /** Content of upstream's configuration file; empty where there is none. */
  readonly config: JsonObject;
}

/** The names that one option has. */
export interface UpstreamOptionNames {
  readonly flag?: string;
  readonly env?: string;
  /** Place in the configuration file, with dots. */
  readonly config?: string;
}

export interface UpstreamValue {
  /** Text from flags and environment, true for a switch, any JSON value from the file. */
  readonly value: unknown;
  /** The name the user gave it by, for messages. */
  readonly origin: string;
}

/** The value in effect, by upstream's own precedence: flag over environment over file. Empty text counts as unset. */
export function upstreamOption(
  sources: UpstreamSources,
  names: UpstreamOptionNames,
): UpstreamValue | undefined {
  if (names.flag !== undefined) {
    const given = sources.upstreamArgs.findLast((argument) => argument.flag === names.flag);
    if (given !== undefined) return { value: given.values.at(-1) ?? true, origin: names.flag };
  }
  if (names.env !== undefined) {
    const value = sources.env[names.env]?.trim();
    if (value) return { value, origin: names.env };
  }
  if (names.config !== undefined) {
    const value = valueAt(sources.config, names.config);
    if (value !== undefined && value !== null) {
      return { value, origin: `"${names.config}" of the configuration file` };
    }
  }
  return undefined;
}

/** Whether the value of a switch, from whichever source, means on. */
export function isSwitchedOn(value: unknown): boolean {
  return value === true || value === "true" || value === "1";
}

/** The value at a path with dots, or undefined. */
export function valueAt(config: JsonObject, path: string): unknown {
  let current: unknown = config;
  for (const name of path.split(".")) {
    if (!isJsonObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
