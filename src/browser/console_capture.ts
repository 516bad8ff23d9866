/**
 * Takes what a library prints with `console.*`. In stdio mode standard output belongs to MCP, and Deno's
 * `console.log` writes there.
 */

const METHODS = ["log", "info", "debug", "warn", "error"] as const;
export type ConsoleMethod = (typeof METHODS)[number];

/** The part of `console` that is captured. */
export type ConsoleLike = { [K in ConsoleMethod]: (...values: unknown[]) => void };

/**
 * Gives every printed text to `sink` until it is disposed. Captures may overlap and end in any order: one that has
 * ended hands on to the one below it, and the original is back when the last has ended.
 */
export function captureConsole(
  sink: (text: string, method: ConsoleMethod) => void,
  target: ConsoleLike = globalThis.console,
): Disposable {
  const restores = METHODS.map((method) => replaceMethod(target, method, sink));
  return { [Symbol.dispose]: () => restores.forEach((restore) => restore()) };
}

/** Marks a function as ours and tells what lies below it, so that ended captures can be taken off the pile. */
const BELOW = Symbol("below");

interface Capturing {
  (...values: unknown[]): void;
  [BELOW]: { readonly next: (...values: unknown[]) => void; ended: boolean };
}

function replaceMethod(
  target: ConsoleLike,
  method: ConsoleMethod,
  sink: (text: string, method: ConsoleMethod) => void,
): () => void {
  const state = { next: target[method], ended: false };
  const capturing = (...values: unknown[]): void => {
    if (state.ended) state.next(...values);
    else sink(values.map(asText).join(" "), method);
  };
  target[method] = Object.assign(capturing, { [BELOW]: state });
  return () => {
    state.ended = true;
    let top = target[method];
    while (isCapturing(top) && top[BELOW].ended) top = top[BELOW].next;
    target[method] = top;
  };
}

function isCapturing(method: (...values: unknown[]) => void): method is Capturing {
  return BELOW in method;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : Deno.inspect(value);
}
