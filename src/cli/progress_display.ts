/**
 * How a download is shown: on a terminal as one line that is written over, elsewhere as a line for every tenth.
 */

import type { ArchiveProgress } from "../browser/archive_watch.ts";

export interface ProgressDisplay {
  /** A step; ends the line of a bar. */
  message(text: string): void;
  bytes(progress: ArchiveProgress): void;
  /** Leaves the cursor on a line of its own. */
  end(): void;
}

export interface DisplayOptions {
  readonly write: (text: string) => void;
  /** Width of the terminal in columns, asked for each time; undefined where there is none. */
  readonly columns?: (() => number) | undefined;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/** More often, nobody can read it. */
const REDRAW_MS = 100;

/** Without a length there are no tenths; a line for so many bytes instead. */
const LINE_BYTES = 32 * 1024 * 1024;

/** Over this stretch of time the rate is measured: long enough to be calm, short enough to tell of a change. */
const RATE_WINDOW_MS = 5_000;

const LONGEST_BAR = 30;
const SHORTEST_BAR = 5;

export function createProgressDisplay(
  { write, columns, now = () => performance.now() }: DisplayOptions,
): ProgressDisplay {
  const rate = new Rate();
  let drawnAt = -Infinity;
  let isOpen = false;
  let told = -1;

  const end = (): void => {
    if (isOpen) write("\n");
    isOpen = false;
  };
  const start = (received: number): void => {
    if (received < rate.received) rate.restart();
  };

  return {
    message(text): void {
      end();
      write(`${text}\n`);
    },
    bytes(progress): void {
      start(progress.received);
      rate.add(now(), progress.received);
      const isWhole = progress.received === progress.total;
      if (columns !== undefined) {
        if (!isWhole && now() - drawnAt < REDRAW_MS) return;
        drawnAt = now();
        isOpen = true;
        write(`\r${barLine(progress, rate.bytesPerSecond(), columns())}\x1b[K`);
        if (isWhole) end();
        return;
      }
      const { received, total } = progress;
      const step = total === undefined
        ? Math.floor(received / LINE_BYTES)
        : Math.floor(received * 10 / total);
      if (step === told) return;
      told = step;
      if (step > 0) write(`${parts(progress, rate.bytesPerSecond()).join(", ")}\n`);
    },
    end,
  };
}

/** The bar and what fits beside it, never wider than the terminal, which would break the line. */
export function barLine(progress: ArchiveProgress, bytesPerSecond: number, columns: number): string {
  const width = columns - 1;
  const texts = parts(progress, bytesPerSecond);
  while (texts.length > 1 && texts.join("  ").length > width) texts.pop();
  const text = texts.join("  ").slice(0, Math.max(0, width));
  const { received, total } = progress;
  const room = Math.min(LONGEST_BAR, width - text.length - 3);
  if (total === undefined || room < SHORTEST_BAR) return text;
  const full = Math.min(room, Math.floor(received / total * room));
  return `[${"#".repeat(full)}${"-".repeat(room - full)}] ${text}`;
}

/** The most important first. */
function parts({ received, total }: ArchiveProgress, bytesPerSecond: number): string[] {
  const texts = total === undefined
    ? [inBytes(received)]
    : [`${Math.floor(received * 100 / total)}%`, `${inBytes(received)} of ${inBytes(total)}`];
  if (bytesPerSecond > 0) {
    texts.push(`${inBytes(bytesPerSecond)}/s`);
    if (total !== undefined && received < total) {
      texts.push(`${inTime((total - received) / bytesPerSecond)} left`);
    }
  }
  return texts;
}

/** `512 B`, `1.4 MiB`. */
export function inBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

function inTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

class Rate {
  #samples: { readonly at: number; readonly received: number }[] = [];

  get received(): number {
    return this.#samples.at(-1)?.received ?? 0;
  }

  add(at: number, received: number): void {
    this.#samples.push({ at, received });
    // One sample from before the window stays, as its start.
    while ((this.#samples[1]?.at ?? Infinity) <= at - RATE_WINDOW_MS) this.#samples.shift();
  }

  /** Another archive, from the next host. */
  restart(): void {
    this.#samples = [];
  }

  bytesPerSecond(): number {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.at <= first.at) return 0;
    return (last.received - first.received) * 1000 / (last.at - first.at);
  }
}
