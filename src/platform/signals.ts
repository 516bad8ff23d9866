/**
 * Signals that ask the process to end.
 */

const ENDING: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGTERM", "SIGINT", "SIGHUP"];

/** Signal numbers of POSIX, for the exit status 128 + n of a process that a signal ended. */
const NUMBERS: Readonly<Partial<Record<Deno.Signal, number>>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGTERM: 15,
  SIGBREAK: 21,
};

/** Status of a process that a signal has ended. */
export function exitStatusAfter(signal: string): number {
  return 128 + (NUMBERS[signal as Deno.Signal] ?? 0);
}

export interface EndSignals extends Disposable {
  /** Resolves with the name of the first one. */
  readonly first: Promise<string>;
}

/** @param onSecond called for each one after the first, with the exit status that reports it */
export function listenForEnd(onSecond: (exitStatus: number) => void): EndSignals {
  const first = Promise.withResolvers<string>();
  let count = 0;
  const handlers = ENDING.map((signal) => {
    const handler = (): void => {
      if (++count === 1) first.resolve(signal);
      else onSecond(exitStatusAfter(signal));
    };
    Deno.addSignalListener(signal, handler);
    return { signal, handler };
  });
  return {
    first: first.promise,
    [Symbol.dispose](): void {
      for (const { signal, handler } of handlers) Deno.removeSignalListener(signal, handler);
    },
  };
}
