/** What one document has said since it began: its name, and its messages as JSON texts. */
export interface RecordedDocument {
  readonly id: string;
  readonly url: string;
  /** Number of the first of the messages that are kept, counted from the start of the document. */
  readonly from: number;
  /** `[type, timestamp, text]`; type as Playwright names it, timestamp in milliseconds since 1970. */
  readonly messages: readonly (readonly [type: string, timestamp: number, text: string])[];
}

export interface RecorderLimits {
  readonly messages: number;
  /** Longest text of one message, in UTF-16 code units. */
  readonly characters: number;
}

/**
 * Runs in a page, before the page's own scripts, and records what is said with `console.*`. Nothing outside of this
 * function may be used in it, and nothing that a page could have replaced by the time a message comes.
 *
 * No code of the page may run while a message is recorded, or the page would notice: so an object is named by its
 * kind, and only errors tell more. The records are had by asking `Function.prototype.toString` about the token, which
 * pages do not know. That function is replaced in any case, so that the replaced ones look native.
 */
export function recordConsole(token: string, limits: RecorderLimits): void {
  const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const { stringify } = JSON;
  const { isArray } = Array;
  const { slice } = String.prototype;
  const { get, set } = WeakMap.prototype;
  const { now } = Date;
  const { isError } = Error as unknown as { isError?: (value: unknown) => boolean };
  const text = String;
  const where = location;
  const nativeToString = Function.prototype.toString;
  const id = `${performance.timeOrigin}-${Math.random()}`;
  const looks = new WeakMap<object, string>();
  const kept: Record<number, string> = Object.create(null);
  let count = 0;

  // deno-lint-ignore ban-types -- any function of the page
  const replace = (owner: object, name: string, trap: ProxyHandler<Function>["apply"]): void => {
    const present = getOwnPropertyDescriptor(owner, name);
    if (typeof present?.value !== "function" || present.configurable !== true) return;
    const proxy = new Proxy(present.value, { apply: trap as NonNullable<typeof trap> });
    apply(set, looks, [proxy, apply(nativeToString, present.value, [])]);
    defineProperty(owner, name, { ...present, value: proxy });
  };

  const describe = (value: unknown): string => {
    if (typeof value === "function") return "function";
    if (typeof value !== "object" || value === null) return text(value);
    if (isError?.(value)) {
      const message = getOwnPropertyDescriptor(value, "message")?.value;
      return typeof message === "string" ? `Error: ${message}` : "Error";
    }
    return isArray(value) ? "Array" : "Object";
  };

  const record = (type: string, values: readonly unknown[]): void => {
    let said = "";
    for (let index = 0; index < values.length && said.length < limits.characters; index++) {
      said += (index === 0 ? "" : " ") + describe(values[index]);
    }
    said = apply(slice, said, [0, limits.characters]);
    kept[count % limits.messages] = `["${type}",${now()},${stringify(said)}]`;
    count++;
  };

  const read = (): string => {
    const from = count > limits.messages ? count - limits.messages : 0;
    let messages = "";
    for (let number = from; number < count; number++) {
      messages += (number === from ? "" : ",") + kept[number % limits.messages];
    }
    return `{"id":"${id}","url":${stringify(where.href)},"from":${from},"messages":[${messages}]}`;
  };

  const wrap = (method: string, type: string): void =>
    replace(console, method, (target, self, values) => {
      record(type, values);
      return apply(target, self, values);
    });
  wrap("debug", "debug");
  wrap("error", "error");
  wrap("info", "info");
  wrap("log", "log");
  wrap("warn", "warning");
  replace(Function.prototype, "toString", (target, self, values) => {
    if (self === token) return read();
    return apply(get, looks, [self]) ?? apply(target, self, values);
  });
}
