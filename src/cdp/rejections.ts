/**
 * Counts attempts that were turned away and tells of them together, so that whoever knocks a thousand times a second
 * cannot fill the log.
 */

import type { Logger } from "../telemetry/log.ts";

export type RejectionKind = "capability" | "host" | "origin";

/** From the first attempt on. */
export const REJECTION_WINDOW_MS = 60_000;

const LARGEST_COUNT = 0xffff_ffff;

export interface RejectionOptions {
  readonly log: Logger;
  readonly now: () => number;
  /** Calls `act` after `ms` milliseconds unless what it returned is called before. */
  readonly schedule?: (act: () => void, ms: number) => () => void;
}

export class Rejections implements Disposable {
  readonly #options: RejectionOptions;
  #counts: Record<RejectionKind, number> = none();
  #since: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: RejectionOptions) {
    this.#options = options;
  }

  count(kind: RejectionKind): void {
    this.#counts[kind] = Math.min(this.#counts[kind] + 1, LARGEST_COUNT);
    if (this.#since !== undefined) return;
    this.#since = this.#options.now();
    this.#cancel = (this.#options.schedule ?? scheduleTimer)(() => this.#tell(), REJECTION_WINDOW_MS);
  }

  /** Tells what has not been told yet. */
  [Symbol.dispose](): void {
    this.#tell();
  }

  #tell(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#since === undefined) return;
    const seconds = Math.max(0, Math.round((this.#options.now() - this.#since) / 1000));
    const counts = this.#counts;
    this.#since = undefined;
    this.#counts = none();
    this.#options.log.warn("cdp_security_rejections", { window_seconds: seconds, ...counts });
  }
}

function none(): Record<RejectionKind, number> {
  return { capability: 0, host: 0, origin: 0 };
}

function scheduleTimer(act: () => void, ms: number): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}
