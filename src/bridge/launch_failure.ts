/**
 * A browser that does not start, in words for an agent: upstream's own text is the whole command line, twice, with the
 * reason somewhere between.
 */
import { Buffer } from "node:buffer";
import { stripVTControlCharacters } from "node:util";
import { isJsonObject, type JsonRpcMessage } from "../protocol/json_rpc.ts";
import { encodeMessage } from "./client_port.ts";

/** A failure of this kind is a few kilobytes; longer results are not looked into. */
const LONGEST_BYTES = 256 * 1024;

/** Upstream says this in the place of what the loader said, and of a package manager that is not here. */
const UNNAMED_LIBRARY = "Missing system dependencies required to run browser";

/** Names the shared libraries that the browser misses; asked only where upstream keeps them to itself. */
export type MissingLibraries = () => Promise<readonly string[]>;

const LAUNCHING = "<launching> ";
const LOGS = "Browser logs:";
const CALL_LOG = "Call log:";

/** How much of what the browser said is repeated. */
const LAST_LINES = 10;

/** Known reasons, and what to do about each. */
const REMEDIES: readonly (readonly [sign: RegExp, remedy: (match: RegExpExecArray) => string])[] = [
  [
    /error while loading shared libraries: ([^\s:]+)/,
    ([, library]) =>
      `The library ${library} is missing; \`cloakbrowser-mcp doctor\` names the packages to install`,
  ],
  [
    /No usable sandbox|--no-sandbox is not supported|sandboxing failed/,
    () => "Chromium's sandbox cannot be used here: leave --sandbox out, or see `cloakbrowser-mcp doctor`",
  ],
  [
    /Missing X server|cannot open display|Unable to open X display|without having a XServer/i,
    () =>
      "The browser is to have a window and finds no display: run it headless, or with --virtual-display always",
  ],
  [
    /Exec format error|ENOEXEC|cannot execute binary file|ELF.*not found/,
    () => "The executable is not for this kind of machine",
  ],
];

const GENERAL_REMEDY = "`cloakbrowser-mcp doctor` says what is wrong with the browser on this machine";

/** An answer that reports a browser that did not start, in our words; any other answer as it is. */
export async function explainLaunchFailure(
  bytes: Uint8Array,
  missingLibraries: MissingLibraries,
): Promise<Uint8Array> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length > LONGEST_BYTES) return bytes;
  if (!view.includes(LAUNCHING) && !view.includes(UNNAMED_LIBRARY)) return bytes;
  const value = JSON.parse(new TextDecoder().decode(bytes)) as JsonRpcMessage;
  if (!isJsonObject(value.result) || value.result.isError !== true) return bytes;
  const [first, ...others] = Array.isArray(value.result.content) ? value.result.content : [];
  const text = isJsonObject(first) && typeof first.text === "string"
    ? await launchFailureText(first.text, missingLibraries)
    : undefined;
  if (text === undefined) return bytes;
  const content = [{ type: "text", text }, ...others];
  return encodeMessage({ ...value, result: { ...value.result, content } });
}

/** @returns undefined for a text of another kind */
export async function launchFailureText(
  text: string,
  missingLibraries: MissingLibraries,
): Promise<string | undefined> {
  if (/^(### Error\n)?(Error: )?Missing system dependencies required to run browser /.test(text)) {
    return libraryText(await missingLibraries());
  }
  const [, path] = /<launching> (.+?)(?: --|$)/m.exec(text) ?? [];
  if (path === undefined || !text.includes(LOGS)) return undefined;
  // What the browser said stands there once or twice; the log of the call always has it.
  const log = stripVTControlCharacters(text.slice(text.lastIndexOf(CALL_LOG)));
  const [, code, signal] = /<process did exit: exitCode=(\w+), signal=(\w+)>/.exec(log) ?? [];
  const said = [...log.matchAll(/\[pid=\d+\]\[(?:err|out)\] (.*)$/gm)].map(([, line = ""]) => line);
  // Upstream knows some reasons as well.
  const reasons = text.replaceAll(/<launching> .*/g, "");
  const remedy = REMEDIES.flatMap(([sign, write]) => {
    const match = sign.exec(reasons);
    return match === null ? [] : [write(match)];
  })[0] ?? GENERAL_REMEDY;
  const output = said.length === 0 ? "" : `\n\nIts last output:\n${said.slice(-LAST_LINES).join("\n")}`;
  return `### Error\nThe browser "${path}" did not start${ending(code, signal)}. ${remedy}. ` +
    `The next browser call tries again${output}`;
}

function libraryText(names: readonly string[]): string {
  const what = names.length === 0
    ? "A shared library that it needs is"
    : names.length === 1
    ? `The library ${names[0]} is`
    : `The libraries ${names.join(", ")} are`;
  return `### Error\nThe browser did not start. ${what} missing; \`cloakbrowser-mcp doctor\` names the packages to ` +
    "install. The next browser call tries again";
}

function ending(code: string | undefined, signal: string | undefined): string {
  if (signal !== undefined && signal !== "null") return `: it was ended by ${signal}`;
  if (code !== undefined && code !== "null") return `: it exited with status ${code}`;
  return "";
}
