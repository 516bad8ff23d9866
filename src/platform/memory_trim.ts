/**
 * Gives memory back after messages of many megabytes. Their buffers lie outside the JavaScript heap, which stays
 * small, so that the engine alone sees no reason to collect them for a long time.
 */

/** Smaller messages are not worth a collection. */
const LARGE_BYTES = 8 * 1024 * 1024;

/** A collection takes some milliseconds: it waits for a pause between messages. */
const QUIET_MS = 200;

/** Buffers that one collection finds dead are freed after it, and what lies behind them by the next. */
const COLLECTIONS = 3;

/**
 * @param collect runs a full collection; undefined where the engine does not offer it (the executable does)
 * @returns to be told the size of each message
 */
export function createMemoryTrim(
  collect: (() => void) | undefined = (globalThis as { gc?: () => void }).gc,
): (bytes: number) => void {
  if (collect === undefined) return () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const schedule = (left: number): void => {
    clearTimeout(timer);
    if (left === 0) return;
    timer = setTimeout(() => {
      collect();
      schedule(left - 1);
    }, QUIET_MS);
    // Ending must not wait for it.
    Deno.unrefTimer(Number(timer));
  };
  return (bytes) => {
    if (bytes >= LARGE_BYTES) schedule(COLLECTIONS);
  };
}
