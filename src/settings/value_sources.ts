/**
 * Where the value of one option stands: command line, environment, a file that holds a secret, settings file.
 */

import { dirname } from "node:path";
import { describeFileFault } from "./file_fault.ts";
import { parseJsonValue, parsePath, parseTexts, type Verdict } from "./grammar.ts";
import { envName, negativeFlag, type Option, secretFileNames } from "./option.ts";
import { nameOrigin, type Origin } from "./origin.ts";
import type { SettingsFile } from "./settings_file.ts";
import type { FlagOccurrence } from "./upstream_options.ts";

export interface SettingsInput {
  /** Flags in the order of the command line. */
  readonly flags?: readonly FlagOccurrence[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute directory from which relative paths of flags and variables start. */
  readonly cwd: string;
  /** Reads a whole text file; throws when it cannot. */
  readonly readTextFile: (path: string) => string;
}

export interface Given {
  readonly verdict: Verdict;
  readonly origin: Origin;
  /** The value as it was written, for the error text. */
  readonly written: string;
}

export interface Sources extends SettingsInput {
  readonly flags: readonly FlagOccurrence[];
  readonly file: (SettingsFile & { readonly path: string }) | undefined;
  /** Takes a sentence for each thing that is wrong with a source rather than with its value. */
  readonly problems: string[];
}

/** The value of the strongest source that has one. */
export function giveValue(key: string, option: Option, sources: Sources): Given | undefined {
  return fromFlags(key, option, sources) ??
    fromEnvironment(key, option, sources) ??
    fromFile(key, option, sources);
}

function fromFlags(key: string, option: Option, sources: Sources): Given | undefined {
  const { flag } = option;
  const names = flag === undefined
    ? []
    : option.type === "boolean"
    ? [flag, negativeFlag(flag)]
    : [flag, ...option.aliases ?? []];
  const given = sources.flags.filter((occurrence) => names.includes(occurrence.flag));
  const last = given.at(-1);
  const named = secretFile(key, option, (file) => {
    const path = sources.flags.findLast((occurrence) => occurrence.flag === file.flag)?.value;
    return path === undefined ? undefined : { origin: { kind: "flag", name: file.flag }, path };
  });
  if (last === undefined) return named && readSecret(option, named, sources.cwd, sources);
  const origin: Origin = { kind: "flag", name: last.flag };
  refuseBoth(origin, named, sources);
  const texts = option.type === "boolean"
    ? [String(last.flag === flag)]
    : given.map((occurrence) => occurrence.value ?? "");
  return { origin, written: texts.at(-1) ?? "", verdict: parseTexts(option, texts, sources.cwd) };
}

function fromEnvironment(key: string, option: Option, sources: Sources): Given | undefined {
  for (const [index, env] of option.env.entries()) {
    const name = envName(env);
    const text = typeof env !== "string" && env.emptyIsUnset && sources.env[name] === ""
      ? undefined
      : sources.env[name];
    const named = secretFile(key, option, (file) => {
      const variable = file.env[index] ?? "";
      const path = sources.env[variable];
      return path === undefined ? undefined : { origin: { kind: "env", name: variable }, path };
    });
    if (text === undefined) {
      if (named === undefined) continue;
      return readSecret(option, named, sources.cwd, sources);
    }
    const origin: Origin = { kind: "env", name };
    refuseBoth(origin, named, sources);
    const verdict = parseTexts(option, [text], sources.cwd);
    const inverted = typeof env !== "string" && env.inverted && verdict.ok;
    return { origin, written: text, verdict: inverted ? { ok: true, value: !verdict.value } : verdict };
  }
  return undefined;
}

function fromFile(key: string, option: Option, sources: Sources): Given | undefined {
  const { file } = sources;
  if (file === undefined) return undefined;
  const base = dirname(file.path);
  const named = secretFile(key, option, (names) => {
    if (!file.values.has(names.key)) return undefined;
    const origin: Origin = { kind: "file", path: file.path, key: names.key };
    const path = file.values.get(names.key);
    if (typeof path === "string") return { origin, path };
    sources.problems.push(`Cannot use ${nameOrigin(origin)}: it must be a string`);
    return undefined;
  });
  if (!file.values.has(key)) return named && readSecret(option, named, base, sources);
  const value = file.values.get(key);
  const origin: Origin = { kind: "file", path: file.path, key };
  refuseBoth(origin, named, sources);
  return { origin, written: JSON.stringify(value), verdict: parseJsonValue(option, value, base) };
}

/** A file that holds the secret instead of the source itself, and what names it. */
interface NamedFile {
  readonly origin: Origin;
  readonly path: string;
}

function secretFile(
  key: string,
  option: Option,
  find: (names: ReturnType<typeof secretFileNames>) => NamedFile | undefined,
): NamedFile | undefined {
  return option.secret ? find(secretFileNames(key, option)) : undefined;
}

function refuseBoth(origin: Origin, named: NamedFile | undefined, sources: Sources): void {
  if (named === undefined) return;
  sources.problems.push(
    `Cannot use ${nameOrigin(origin)} together with ${nameOrigin(named.origin)}: leave one of them out`,
  );
}

/** The secret with the blanks and line ends that an editor left around it taken off; of several, one a line. */
function readSecret(option: Option, named: NamedFile, base: string, sources: Sources): Given | undefined {
  const { origin } = named;
  const place = parsePath(named.path, base);
  if (!place.ok) {
    sources.problems.push(`Cannot use ${nameOrigin(origin)}: it ${place.problem}`);
    return undefined;
  }
  const text = readNamedFile(place.value, origin, sources);
  if (text === undefined) return undefined;
  const verdict = option.type === "list"
    ? parseJsonValue(option, text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== ""), base)
    : parseTexts(option, [text], base);
  return { origin, written: text, verdict };
}

/** The text of a file that a source names; undefined, and a problem, where it cannot be read. */
export function readNamedFile(path: string, origin: Origin, sources: Sources): string | undefined {
  try {
    return sources.readTextFile(path);
  } catch (error) {
    sources.problems.push(`Cannot read "${path}" for ${nameOrigin(origin)}: ${describeFileFault(error)}`);
    return undefined;
  }
}
