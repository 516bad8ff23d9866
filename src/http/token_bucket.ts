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

/** Who comes back exactly when told must not be sent away for the last digit of a fraction. */
const ROUNDING = 1e-9;

interface Bucket {
  level: number;
  at: number;
}

export class TokenBuckets {
  readonly #options: Required<TokenBucketsOptions>;
  /** The one used last stands last. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: TokenBucketsOptions) {
    this.#options = { maxKeys: DEFAULT_MAX_KEYS, ...options };
  }

  /** Keys that are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes one from the bucket of a key, or tells when there will be one again. */
  take(key: string): Taken {
    const { rate, now } = this.#options;
    const at = now();
    const before = this.#buckets.get(key) ?? { level: rate.count, at };
    const level = Math.min(rate.count, before.level + ((at - before.at) * rate.count) / rate.perMs);
    const ok = level > 1 - ROUNDING;
    this.#buckets.delete(key);
    this.#buckets.set(key, { level: ok ? level - 1 : level, at });
    this.#forget(at);
    return ok ? { ok } : { ok, retryAfterMs: Math.ceil(((1 - level) * rate.perMs) / rate.count) };
  }

  /** Forgets the key of something that is over. */
  delete(key: string): void {
    this.#buckets.delete(key);
  }

  /** A bucket that has not been used for the whole time of the rate is full again, which is what no bucket means. */
  #forget(at: number): void {
    const { rate, maxKeys } = this.#options;
    for (const [key, bucket] of this.#buckets) {
      if (at - bucket.at < rate.perMs && this.#buckets.size <= maxKeys) return;
      this.#buckets.delete(key);
    }
  }
}
