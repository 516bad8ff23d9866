/**
 * Which CDP methods clients may call. A message is let through only when Chromium, whose reader of JSON takes more than
 * JSON, can read it in no other way than we do.
 */

/** Lets a page call every method, past any rule; refused as soon as there are rules. */
const ESCAPE = "Target.exposeDevToolsProtocol";
/** Carries a message to another target as text. */
const WRAPPER = "Target.sendMessageToTarget";

const ATTACHER = "Target.setAutoAttach";
const HOLDING = "waitForDebuggerOnStart";

/** Of JSON-RPC, as Chromium uses them. */
const SERVER_ERROR = -32000, PARSE_ERROR = -32700, INVALID_REQUEST = -32600;

export class MethodRules {
  readonly #names = new Set<string>([ESCAPE]);
  readonly #prefixes: string[] = [];

  readonly #allowed: ReadonlySet<string> | undefined;

  /**
   * @param denied names of methods; `Target.*` is every one that begins with `Target.`
   * @param allowed the only methods that may be called at all; undefined for all
   */
  constructor(denied: readonly string[], allowed?: readonly string[]) {
    this.#allowed = allowed === undefined ? undefined : new Set(allowed);
    for (const entry of denied) {
      if (entry.endsWith("*")) this.#prefixes.push(entry.slice(0, -1));
      else this.#names.add(entry);
    }
  }

  denies(method: string): boolean {
    if (this.#allowed !== undefined && !this.#allowed.has(method)) return true;
    return this.#names.has(method) || this.#prefixes.some((prefix) => method.startsWith(prefix));
  }

  /** What the client is answered instead of Chromium, or undefined where its message may pass. */
  judge(text: string): string | undefined {
    const message = readMessage(text);
    if (message === undefined) {
      return failure(
        {},
        PARSE_ERROR,
        "A message must be JSON without repeated names while methods are restricted",
      );
    }
    const refused = this.#refused(message);
    return refused === undefined ? undefined : failure(message, refused.code, refused.message);
  }

  #refused(message: Message): { readonly code: number; readonly message: string } | undefined {
    const { method, params } = message;
    if (typeof method !== "string") return { code: INVALID_REQUEST, message: "A message must have a method" };
    if (this.denies(method)) {
      return { code: SERVER_ERROR, message: `"${method}" is not allowed on this endpoint` };
    }
    // A target that waits for a debugger is held until somebody lets it go, which a watcher may not.
    const holds = isObject(params) && params[HOLDING] !== undefined && params[HOLDING] !== false;
    if (this.#allowed !== undefined && method === ATTACHER && holds) {
      return { code: SERVER_ERROR, message: `"${method}" with "${HOLDING}" is not allowed on this endpoint` };
    }
    if (method !== WRAPPER) return undefined;
    const wrapped = isObject(params) && typeof params.message === "string"
      ? readMessage(params.message)
      : undefined;
    if (wrapped === undefined) {
      return {
        code: PARSE_ERROR,
        message: `The message in "${WRAPPER}" must be JSON without repeated names`,
      };
    }
    return this.#refused(wrapped);
  }
}

type Message = Readonly<Record<string, unknown>>;

function failure({ id, sessionId }: Message, code: number, message: string): string {
  return JSON.stringify({
    ...(Number.isSafeInteger(id) ? { id } : {}),
    error: { code, message },
    ...(typeof sessionId === "string" ? { sessionId } : {}),
  });
}

/** The object that a text stands for, or undefined where it is none, or could be read in two ways. */
function readMessage(text: string): Message | undefined {
  try {
    const value = JSON.parse(text);
    return isObject(value) && !hasRepeatedNames(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Of two members with one name a reader may take either. `text` is JSON. */
function hasRepeatedNames(text: string): boolean {
  /** Names of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  /** The next string of the innermost object is a name. */
  let nameNext = false;
  const strings = /["{}[\],]/g;
  for (let found = strings.exec(text); found !== null; found = strings.exec(text)) {
    switch (found[0]) {
      case "{":
        open.push(new Set());
        nameNext = true;
        break;
      case "[":
        open.push(undefined);
        nameNext = false;
        break;
      case "}":
      case "]":
        open.pop();
        nameNext = false;
        break;
      case ",":
        nameNext = open.at(-1) !== undefined;
        break;
      default: {
        const end = endOfString(text, found.index);
        const names = open.at(-1);
        if (nameNext && names !== undefined) {
          const name: string = JSON.parse(text.slice(found.index, end));
          if (names.has(name)) return true;
          names.add(name);
        }
        nameNext = false;
        strings.lastIndex = end;
      }
    }
  }
  return false;
}

/** Index behind the quote that ends the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}
