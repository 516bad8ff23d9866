/**
 * Gives memory back when the engine alone sees no reason to: after the start, of which half is garbage, and after
 * messages of many megabytes, whose buffers lie outside the JavaScript heap, which stays small.
 */

/** Smaller messages are not worth a collection. */
const LARGE_BYTES = 8 * 1024 * 1024;

/** A collection takes some milliseconds: it waits for a pause between messages. */
const QUIET_MS = 200;

/** Buffers that one collection finds dead are freed after it, and what lies behind them by the next. */
const COLLECTIONS = 3;

export interface MemoryTrim {
  /** Collects in the next pause. */
  soon(): void;
  /** Told the size of each message, collects in the pause after a large one. */
  afterMessage(bytes: number): void;
}

/** @param collect runs a full collection; undefined where the engine does not offer it (the executable does) */
export function createMemoryTrim(
  collect: (() => void) | undefined = (globalThis as { gc?: () => void }).gc,
): MemoryTrim {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const schedule = (left: number): void => {
    clearTimeout(timer);
    if (left === 0 || collect === undefined) return;
    timer = setTimeout(() => {
      collect();
      schedule(left - 1);
    }, QUIET_MS);
    // Ending must not wait for it.
    Deno.unrefTimer(Number(timer));
  };
  return {
    soon: () => schedule(COLLECTIONS),
    afterMessage(bytes): void {
      if (bytes >= LARGE_BYTES) schedule(COLLECTIONS);
    },
  };
}
