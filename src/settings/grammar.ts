/**
 * One strict grammar for each type of option, the same for flags and environment variables, and its counterpart for
 * values of the settings file. Everything here is pure; whoever knows the source names it in the error text.
 */

import { resolve } from "node:path";
import type { Option } from "./option.ts";

/** A parsed value, or what is wrong with it as the end of a sentence that starts with "it": `must be …`. */
export type Verdict<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the texts that one flag or variable carries.
 *
 * @param texts the values in order: one, or several for a repeated or variadic flag
 * @param base absolute directory that relative paths start from
 */
export function parseTexts(option: Option, texts: readonly string[], base: string): Verdict {
  const last = texts.at(-1) ?? "";
  switch (option.type) {
    case "boolean":
      return parseBoolean(last);
    case "integer":
      return parseInteger(last, option.min, option.max);
    case "choice":
      return parseChoice(last, option.choices, option.ignoreCase === true);
    case "text":
      return parseText(last, option.validate);
    case "path":
      return parsePath(last, base);
    case "paths":
      return collect(texts.map((text) => parsePath(text, base)));
    case "list": {
      const lists = collect(texts.map(parseStringList));
      return lists.ok ? checkList(option, lists.value.flat(), base) : lists;
    }
    case "command":
      return parseCommand(last);
    case "object":
      return checkObject(option, jsonOrUndefined(last));
  }
}

/** Reads one value of the settings file, which must already have the right JSON type. */
export function parseJsonValue(option: Option, value: unknown, base: string): Verdict {
  switch (option.type) {
    case "boolean":
      return typeof value === "boolean" ? pass(value) : fail("must be true or false, without quotes");
    case "integer":
      return typeof value === "number"
        ? parseInteger(String(value), option.min, option.max)
        : fail(`must be a whole number from ${option.min} to ${option.max}, without quotes`);
    case "paths":
      return isStringArray(value)
        ? collect(value.map((item) => parsePath(item, base)))
        : fail("must be an array of strings");
    case "list":
      return isStringArray(value) ? checkList(option, value, base) : fail("must be an array of strings");
    case "command":
      return isStringArray(value) ? checkCommand(value) : fail(COMMAND_FORM);
    case "object":
      return checkObject(option, value);
    default:
      return typeof value === "string"
        ? parseTexts(option, [value], base)
        : fail(`must be ${article(option)}`);
  }
}

/** `true` or `false`, in any case, with blanks around it; `1`, `yes`, `on` and nothing at all are refused. */
export function parseBoolean(text: string): Verdict<boolean> {
  const word = text.trim().toLowerCase();
  return word === "true" || word === "false" ? pass(word === "true") : fail('must be "true" or "false"');
}

/** An optional minus and digits; exponents, fractions, other bases and digits of other scripts are refused. */
export function parseInteger(text: string, min: number, max: number): Verdict<number> {
  const word = text.trim();
  if (!/^-?[0-9]+$/.test(word)) return fail(`must be a whole number from ${min} to ${max}`);
  const value = Number(word);
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    return fail(`must be from ${min} to ${max}`);
  }
  return pass(value === 0 ? 0 : value);
}

export function parseChoice(
  text: string,
  choices: readonly string[],
  ignoreCase: boolean,
): Verdict<string> {
  const word = ignoreCase ? text.trim().toLowerCase() : text.trim();
  return choices.includes(word) ? pass(word) : fail(`must be ${alternatives(choices)}`);
}

/** An address in brackets, `[::1]:80`, starts like a JSON array but cannot be one. */
const IPV6_LITERAL = /^\s*\[[0-9a-f]*:[0-9a-f:.]*\]/i;

/** A comma list, whose items are trimmed and whose blank items fall away, or a JSON array of strings as it is. */
export function parseStringList(text: string): Verdict<readonly string[]> {
  if (text.trimStart().startsWith("[") && !IPV6_LITERAL.test(text)) {
    const value = jsonOrUndefined(text);
    return isStringArray(value) ? pass(value) : fail("must be a comma list or a JSON array of strings");
  }
  return pass(text.split(",").map((item) => item.trim()).filter((item) => item !== ""));
}

/** Judges the items where the option does; an item that it judges has no blanks around it. */
function checkList(
  option: Extract<Option, { type: "list" }>,
  items: readonly string[],
  base: string,
): Verdict<readonly string[]> {
  if (option.filled && (items.length === 0 || items.some((item) => item.trim() === ""))) {
    return fail("must not be blank");
  }
  const { validate, paths } = option;
  if (validate === undefined && !paths) return pass(items);
  return collect(items.map((item) => {
    const problem = validate?.(item.trim());
    if (problem !== undefined) return fail(problem);
    return paths ? parsePath(item, base) : pass(item.trim());
  }));
}

/** `"a"`, `"a" or "b"`, `"a", "b" or "c"`. */
export function alternatives(choices: readonly string[]): string {
  const quoted = choices.map((choice) => `"${choice}"`);
  return quoted.length < 2
    ? quoted.join("")
    : `${quoted.slice(0, -1).join(", ")} or ${quoted.slice(-1).join("")}`;
}

function parseText(
  text: string,
  validate: ((value: string) => string | undefined) | undefined,
): Verdict<string> {
  const value = text.trim();
  if (value === "") return fail("must not be blank");
  const problem = validate?.(value);
  return problem === undefined ? pass(value) : fail(problem);
}

/** A path that is not blank, absolute from `base` on. */
export function parsePath(text: string, base: string): Verdict<string> {
  const path = text.trim();
  if (path === "") return fail("must not be blank");
  if (path.includes("\0")) return fail("must not contain a NUL character");
  return pass(resolve(base, path));
}

const COMMAND_FORM = 'must be a JSON array of strings such as ["program", "argument"]';

function parseCommand(text: string): Verdict<readonly string[]> {
  const value = jsonOrUndefined(text);
  return isStringArray(value) ? checkCommand(value) : fail(COMMAND_FORM);
}

function checkCommand(command: readonly string[]): Verdict<readonly string[]> {
  return (command[0] ?? "").trim() === "" ? fail("must start with the name of a program") : pass(command);
}

function checkObject(option: Extract<Option, { type: "object" }>, value: unknown): Verdict {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return fail("must be a JSON object");
  }
  const problem = option.validate(value as Record<string, unknown>);
  return problem === undefined ? pass(value) : fail(problem);
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function article(option: Option): string {
  return option.type === "choice" ? alternatives(option.choices) : "a string";
}

function collect<T>(verdicts: readonly Verdict<T>[]): Verdict<T[]> {
  const values: T[] = [];
  for (const verdict of verdicts) {
    if (!verdict.ok) return verdict;
    values.push(verdict.value);
  }
  return pass(values);
}

function pass<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

function fail(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
