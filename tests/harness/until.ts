/**
 * The one place where tests wait for something that announces itself to nobody: a process that vanishes, a file
 * that grows. Everything that can be waited for as an event is.
 */

/** Long enough not to load two cores, short enough not to lengthen the suite. */
const POLL_INTERVAL_MS = 15;

/**
 * Polls `predicate` until it gives something truthy and returns that.
 *
 * @throws Error naming `what` when `withinMs` has passed
 */
export async function until<T>(
  what: string,
  predicate: () => T | Promise<T>,
  withinMs: number,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await predicate();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

/**
 * Settles as `promise` does, or rejects when that takes longer than `withinMs`. `detail` is asked for what to add
 * to the message.
 */
export async function within<T>(
  what: string,
  promise: Promise<T>,
  withinMs: number,
  detail: () => string = () => "",
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not within ${withinMs} ms: ${what}${detail()}`)), withinMs);
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when this much time has passed: for cases that are about a duration. */
export async function passed(milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  await until("time passes", () => performance.now() >= end, Infinity);
}
