/**
 * Rate limits by key: each key may use up its count at once, and gets it back evenly over the time of the rate.
 */

import type { Rate } from "../settings/rate.ts";

export type Taken =
  | { readonly ok: true }
  | { readonly ok: false; readonly retryAfterMs: number };

export interface TokenBucketsOptions {
  readonly rate: Rate;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Keys that are remembered at most; strangers must not fill the memory. */
  readonly maxKeys?: number;
}

/** At about 100 bytes a key this is some megabytes. */
const DEFAULT_MAX_KEYS = 50_000;

export class TokenBuckets {
  readonly #options: Required<TokenBucketsOptions>;
  /**
   * When each bucket is full again; the one used last stands last. Times are counted in milliseconds times the count of
   * the rate, so that all arithmetic is of whole numbers.
   */
  readonly #fullAt = new Map<string, number>();

  constructor(options: TokenBucketsOptions) {
    this.#options = { maxKeys: DEFAULT_MAX_KEYS, ...options };
  }

  /** Keys that are remembered. */
  get size(): number {
    return this.#fullAt.size;
  }

  /** Takes one from the bucket of a key, or tells when there will be one again. */
  take(key: string): Taken {
    const { rate, now } = this.#options;
    const at = now() * rate.count;
    const before = Math.max(this.#fullAt.get(key) ?? at, at);
    const excess = before + rate.perMs - (at + rate.perMs * rate.count);
    const ok = excess <= 0;
    this.#fullAt.delete(key);
    this.#fullAt.set(key, ok ? before + rate.perMs : before);
    this.#forget(at);
    return ok ? { ok } : { ok, retryAfterMs: Math.ceil(excess / rate.count) };
  }

  /** Forgets the key of something that is over. */
  delete(key: string): void {
    this.#fullAt.delete(key);
  }

  /** A bucket that is full is as good as none. Over the bound those go that nobody has used for longest. */
  #forget(at: number): void {
    for (const [key, fullAt] of this.#fullAt) {
      if (fullAt > at && this.#fullAt.size <= this.#options.maxKeys) return;
      this.#fullAt.delete(key);
    }
  }
}
