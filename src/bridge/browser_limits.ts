/**
 * When a browser has served long enough: it is older, holds more memory, or has more pages open than the operator
 * allows. It is replaced between two calls, never during one.
 */

export interface BrowserLimits {
  /** From the first call that a generation got, in milliseconds. */
  readonly maxAgeMs?: number | undefined;
  /** Of the upstream process, the browser and its helpers together. */
  readonly maxBytes?: number | undefined;
  /** Open at the same time. */
  readonly maxPages?: number | undefined;
}

export interface BrowserLimitsOptions extends BrowserLimits {
  /** Bytes of memory that a process and its descendants hold; undefined where nobody can tell. */
  readonly usedBytes: (pid: number) => Promise<number | undefined>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Looking costs some milliseconds and a process of its own, so not every call is followed by a look. */
const LOOK_EVERY_MS = 5_000;

const MIB = 1024 * 1024;

export class BrowserLimitWatch {
  readonly #options: BrowserLimitsOptions;
  #generation = 0;
  #since = 0;
  #lookedAt = -Infinity;
  #bytes: number | undefined;
  #pages = { generation: 0, open: 0 };

  constructor(options: BrowserLimitsOptions) {
    this.#options = options;
  }

  /** A call goes to the browser of this generation. */
  callStarted(generation: number): void {
    if (generation <= this.#generation) return;
    this.#generation = generation;
    this.#since = this.#options.now();
    this.#lookedAt = -Infinity;
    this.#bytes = undefined;
  }

  /** @param pid of the generation's upstream process */
  async callEnded(generation: number, pid: number): Promise<void> {
    const { maxBytes, usedBytes, now } = this.#options;
    const isDue = generation === this.#generation && now() - this.#lookedAt >= LOOK_EVERY_MS;
    if (maxBytes === undefined || !isDue) return;
    this.#lookedAt = now();
    const bytes = await usedBytes(pid);
    if (generation === this.#generation) this.#bytes = bytes;
  }

  /** So many pages are open in the browser of a generation. */
  pagesOpen(generation: number, open: number): void {
    this.#pages = { generation, open };
  }

  /** Which limit the browser of this generation is over, in the past tense, as the end of "the browser …". */
  exceeded(generation: number): string | undefined {
    const { maxAgeMs, maxBytes, maxPages, now } = this.#options;
    if (generation !== this.#generation) return undefined;
    if (maxAgeMs !== undefined && now() - this.#since > maxAgeMs) {
      return `had served longer than the ${maxAgeMs} ms of --browser-max-age`;
    }
    if (maxBytes !== undefined && (this.#bytes ?? 0) > maxBytes) {
      const [used, allowed] = [this.#bytes ?? 0, maxBytes].map((bytes) => Math.round(bytes / MIB));
      return `held ${used} MiB, more than the ${allowed} MiB of --browser-max-memory`;
    }
    const { open } = this.#pages;
    if (maxPages !== undefined && this.#pages.generation === generation && open > maxPages) {
      return `had ${open} pages open, more than the ${maxPages} of --max-pages`;
    }
    return undefined;
  }
}
