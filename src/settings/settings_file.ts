/**
 * The settings file: JSON with comments and trailing commas. Loaded only when one is named, so that a server without
 * one does not pay for the parser.
 */

import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { secretFileNames } from "./option.ts";
import { optionRows } from "./option_table.ts";
import { didYouMean } from "./suggest.ts";

/** The key under which flags of Playwright MCP stand. */
export const UPSTREAM_KEY = "upstream";

export interface SettingsFile {
  /** Values by settings key, not yet checked against their option. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Values by name of an upstream option, not yet checked. */
  readonly upstream: ReadonlyMap<string, unknown>;
}

/** Every key that may stand at the top of the file, `$schema` aside. */
export function settingsFileKeys(): string[] {
  const keys: string[] = [];
  for (const [key, option] of optionRows()) {
    if (option.inFile === false) continue;
    keys.push(key);
    if (option.secret) keys.push(secretFileNames(key, option).key);
  }
  return [...keys, UPSTREAM_KEY];
}

/**
 * Reads the text of a settings file.
 *
 * @returns the values that could be read, and one sentence for each thing that is wrong
 */
export function parseSettingsFile(
  path: string,
  text: string,
): { readonly file: SettingsFile; readonly problems: readonly string[] } {
  const empty: SettingsFile = { values: new Map(), upstream: new Map() };
  const source = text.replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true, disallowComments: false });
  const first = errors[0];
  if (first !== undefined) {
    return {
      file: empty,
      problems: [`Cannot read ${path}, ${place(source, first.offset)}: ${explain(first)}`],
    };
  }
  if (root?.type !== "object") {
    return { file: empty, problems: [`Cannot use the settings file ${path}: it must hold one JSON object`] };
  }
  const problems: string[] = [];
  const values = readMembers(root, path, source, problems);
  values.delete("$schema");
  const upstream = readUpstream(root, values, path, source, problems);
  const known = settingsFileKeys();
  for (const key of values.keys()) {
    if (known.includes(key)) continue;
    problems.push(`Unknown key "${key}" in ${path}${didYouMean(key, known)}`);
    values.delete(key);
  }
  return { file: { values, upstream }, problems };
}

function readUpstream(
  root: Node,
  values: Map<string, unknown>,
  path: string,
  source: string,
  problems: string[],
): Map<string, unknown> {
  if (!values.delete(UPSTREAM_KEY)) return new Map();
  const node = (root.children ?? []).findLast((member) => memberKey(member) === UPSTREAM_KEY)?.children?.[1];
  if (node?.type === "object") return readMembers(node, path, source, problems);
  problems.push(`Cannot use "${UPSTREAM_KEY}" in ${path}: it must be an object of Playwright MCP options`);
  return new Map();
}

/** Members of an object; a key that stands twice is a mistake that JSON parsers usually hide. */
function readMembers(object: Node, path: string, source: string, problems: string[]): Map<string, unknown> {
  const members = new Map<string, unknown>();
  for (const member of object.children ?? []) {
    const key = memberKey(member);
    const value = member.children?.[1];
    if (key === undefined || value === undefined) continue;
    if (members.has(key)) {
      problems.push(`Cannot use "${key}" in ${path}, ${place(source, member.offset)}: it stands there twice`);
    }
    members.set(key, getNodeValue(value));
  }
  return members;
}

function memberKey(member: Node): string | undefined {
  const key: unknown = member.children?.[0]?.value;
  return typeof key === "string" ? key : undefined;
}

/** Line and column, both counted from 1. */
function place(source: string, offset: number): string {
  const before = source.slice(0, offset).split(/\r\n|\r|\n/);
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

/** By the names of jsonc-parser's error codes, whose enumeration exists for the compiler only. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  InvalidSymbol: "unexpected word",
  InvalidNumberFormat: "malformed number",
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected a closing brace",
  CloseBracketExpected: "expected a closing bracket",
  EndOfFileExpected: "expected the end of the file",
  UnexpectedEndOfComment: "comment without an end",
  UnexpectedEndOfString: "text without a closing quote",
  UnexpectedEndOfNumber: "number without an end",
  InvalidUnicode: "malformed \\u escape",
  InvalidEscapeCharacter: "unknown escape",
  InvalidCharacter: "character that must be escaped",
};

function explain(error: ParseError): string {
  return EXPLANATIONS[printParseErrorCode(error.error)] ?? "not JSON";
}
