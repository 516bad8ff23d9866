/**
 * Reads the outermost members of a JSON-RPC message from its bytes without building the rest.
 *
 * The relay passes messages on as the bytes they came in: nothing can be stripped, renumbered or re-escaped
 * on the way, and a screenshot of many megabytes costs a scan instead of a parse. All that routing needs is
 * the envelope: `jsonrpc`, `id`, `method`, and whether there is a `result` or an `error`.
 */
import type { JsonRpcId } from "./json_rpc.ts";

/** Byte range of a JSON value, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Envelope =
  & { readonly idSpan: Span | undefined }
  & (
    | { readonly kind: "request"; readonly id: JsonRpcId; readonly method: string }
    | { readonly kind: "notification"; readonly method: string }
    | { readonly kind: "response"; readonly id: JsonRpcId | null; readonly failed: boolean }
  );

const TAB = 0x09, LF = 0x0a, CR = 0x0d, SPACE = 0x20, QUOTE = 0x22, COMMA = 0x2c, COLON = 0x3a;
const OPEN_BRACKET = 0x5b, BACKSLASH = 0x5c, CLOSE_BRACKET = 0x5d, OPEN_BRACE = 0x7b, CLOSE_BRACE = 0x7d;

const decoder = new TextDecoder();

/** Up to here a message is checked by parsing it, which costs less than a millisecond; beyond, by its structure. */
const PARSE_BYTES = 256 * 1024;

/**
 * The envelope of a JSON-RPC 2.0 message, or undefined where the bytes are none. Of a large message the structure
 * (nesting and strings) is checked to the end, and the inside of `params`, `result` and `error` is its sender's.
 */
export function scanEnvelope(bytes: Uint8Array): Envelope | undefined {
  if (bytes.length <= PARSE_BYTES && parseSpan(bytes, { start: 0, end: bytes.length }) === undefined) {
    return undefined;
  }
  const object = readMembers(bytes, 0);
  if (object === undefined || skipSpace(bytes, object.end) !== bytes.length) return undefined;
  return classify(bytes, object.members);
}

/**
 * The value of a member of a member, such as `["result", "isError"]`: only the last one is parsed. Undefined where it
 * is not there. For messages that `scanEnvelope` has found good.
 */
export function readMember(bytes: Uint8Array, [outer, inner]: readonly [string, string]): unknown {
  const at = readMembers(bytes, 0)?.members.get(outer)?.start;
  const span = at === undefined ? undefined : readMembers(bytes, at)?.members.get(inner);
  return span === undefined ? undefined : parseSpan(bytes, span);
}

/** Where the values of the object that begins at `from`, or behind blanks, lie. Undefined where there is none. */
function readMembers(
  bytes: Uint8Array,
  from: number,
): { readonly members: ReadonlyMap<string, Span>; readonly end: number } | undefined {
  let at = skipSpace(bytes, from);
  if (bytes[at] !== OPEN_BRACE) return undefined;
  const members = new Map<string, Span>();
  at = skipSpace(bytes, at + 1);
  while (bytes[at] !== CLOSE_BRACE) {
    if (bytes[at] !== QUOTE) return undefined;
    const keyEnd = endOfString(bytes, at);
    if (keyEnd < 0) return undefined;
    const key = parseSpan(bytes, { start: at, end: keyEnd });
    at = skipSpace(bytes, keyEnd);
    if (typeof key !== "string" || bytes[at] !== COLON) return undefined;
    const start = skipSpace(bytes, at + 1);
    const end = endOfValue(bytes, start);
    if (end <= start) return undefined;
    members.set(key, { start, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) {
      at = skipSpace(bytes, at + 1);
      if (bytes[at] === CLOSE_BRACE) return undefined;
    } else if (bytes[at] !== CLOSE_BRACE) return undefined;
  }
  return { members, end: at + 1 };
}

/** The same message with another id; every other byte stays. */
export function withId(bytes: Uint8Array, idSpan: Span, id: JsonRpcId): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(id));
  const out = new Uint8Array(bytes.length - (idSpan.end - idSpan.start) + text.length);
  out.set(bytes.subarray(0, idSpan.start));
  out.set(text, idSpan.start);
  out.set(bytes.subarray(idSpan.end), idSpan.start + text.length);
  return out;
}

function classify(bytes: Uint8Array, spans: ReadonlyMap<string, Span>): Envelope | undefined {
  const read = (key: string): unknown => {
    const span = spans.get(key);
    return span === undefined ? undefined : parseSpan(bytes, span);
  };
  if (read("jsonrpc") !== "2.0") return undefined;
  const idSpan = spans.get("id");
  const id = read("id");
  if (spans.has("method")) {
    const method = read("method");
    if (typeof method !== "string") return undefined;
    if (idSpan === undefined) return { kind: "notification", method, idSpan };
    return isId(id) ? { kind: "request", id, method, idSpan } : undefined;
  }
  const failed = spans.has("error");
  if (!failed && !spans.has("result")) return undefined;
  if (!isId(id) && !(failed && (id === null || id === undefined))) return undefined;
  return { kind: "response", id: isId(id) ? id : null, failed, idSpan };
}

function isId(value: unknown): value is JsonRpcId {
  return typeof value === "string" || typeof value === "number";
}

function parseSpan(bytes: Uint8Array, span: Span): unknown {
  try {
    return JSON.parse(decoder.decode(bytes.subarray(span.start, span.end)));
  } catch {
    return undefined;
  }
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte !== SPACE && byte !== TAB && byte !== LF && byte !== CR) break;
    at++;
  }
  return at;
}

/** Index behind the closing quote of the string that opens at `from`, or -1. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return -1;
    let before = quote - 1;
    while (before > from && bytes[before] === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
    at = quote + 1;
  }
}

/** Index behind the value that starts at `from`; not greater than `from` where there is none. */
function endOfValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from];
  if (first === QUOTE) return endOfString(bytes, from);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return endOfLiteral(bytes, from);
  const closers: number[] = [];
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      if (at < 0) return -1;
      continue;
    }
    if (byte === OPEN_BRACE) closers.push(CLOSE_BRACE);
    else if (byte === OPEN_BRACKET) closers.push(CLOSE_BRACKET);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (closers.pop() !== byte) return -1;
      if (closers.length === 0) return at + 1;
    }
    at++;
  }
  return -1;
}

function endOfLiteral(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (
      byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === SPACE || byte === TAB ||
      byte === LF || byte === CR
    ) break;
    at++;
  }
  return at;
}
