/**
 * The user's own configuration file for `@playwright/mcp` (`--config`), read as upstream reads it.
 */

import { dirname, resolve } from "node:path";
import { isJsonObject, type JsonObject } from "../browser/upstream_option.ts";
import { AppError, messageOf } from "../errors.ts";
import { parseIniConfig } from "./ini_config.ts";

/** Lists of files that upstream resolves against the place of the configuration file. */
const RELATIVE_TO_FILE = ["initPage", "initScript"] as const;

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Reads the file: JSON, or INI where its name ends in `.ini` or its text cannot be JSON. Paths of init pages and
 * init scripts come back absolute.
 *
 * @param path absolute; undefined gives an empty configuration
 * @throws {AppError} `usage` naming the file, and the line and column of a syntax error
 */
export async function readUserConfig(path: string | undefined): Promise<JsonObject> {
  if (path === undefined) return {};
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    throw unreadable(path, messageOf(cause), cause);
  }
  if (text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
  const config = path.endsWith(".ini") ? await parseIniConfig(text) : await parseJsonOrIni(path, text);
  return resolvePaths(path, config);
}

async function parseJsonOrIni(path: string, text: string): Promise<JsonObject> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (!/^\s*\{/.test(text)) return await parseIniConfig(text);
    throw unreadable(path, `it is not valid JSON at ${await findSyntaxError(text)}`, cause);
  }
  if (!isJsonObject(value)) throw unreadable(path, "it must hold a JSON object");
  return value;
}

/** Only after the fast parser has failed; that one does not always tell where. */
async function findSyntaxError(text: string): Promise<string> {
  const { parse, printParseErrorCode } = await import("jsonc-parser");
  const errors: { error: number; offset: number; length: number }[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  const first = errors[0];
  const offset = first?.offset ?? text.length;
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  return `line ${line}, column ${column}${
    first === undefined ? "" : ` (${printParseErrorCode(first.error)})`
  }`;
}

function resolvePaths(path: string, config: JsonObject): JsonObject {
  const browser = config["browser"];
  if (browser === undefined) return config;
  if (!isJsonObject(browser)) throw unreadable(path, '"browser" must be an object');
  for (const name of ["launchOptions", "contextOptions"]) {
    // Merged member by member with ours: anything else would put our executable out of effect without a word.
    if (browser[name] !== undefined && !isJsonObject(browser[name])) {
      throw unreadable(path, `"browser.${name}" must be an object`);
    }
  }
  const { launchOptions } = browser;
  const args = isJsonObject(launchOptions) ? launchOptions["args"] : undefined;
  if (args !== undefined && !(Array.isArray(args) && args.every((arg) => typeof arg === "string"))) {
    throw unreadable(path, '"browser.launchOptions.args" must be a list of strings');
  }
  const resolved: Record<string, unknown> = { ...browser };
  for (const name of RELATIVE_TO_FILE) {
    const value = browser[name];
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value) || !value.every((entry) => typeof entry === "string")) {
      throw unreadable(path, `"browser.${name}" must be a list of paths`);
    }
    resolved[name] = value.map((entry) => resolve(dirname(path), entry));
  }
  return { ...config, browser: resolved };
}

function unreadable(path: string, reason: string, cause?: unknown): AppError {
  return new AppError("usage", `Cannot read the Playwright MCP configuration "${path}": ${reason}`, {
    remedy: "Correct the file, or name another one with --config",
    cause,
  });
}
