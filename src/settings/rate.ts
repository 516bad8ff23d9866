/**
 * Rates as they are written in options: `100/60s` lets 100 through at once and 100 in any further minute.
 */

export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

const FORM = /^([0-9]{1,7})\s*\/\s*([0-9]{1,7})?\s*(ms|s|m|h)$/;
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Word for no limit, to take back one that a weaker source sets. */
const OFF = "off";

/** What is wrong with a rate as the end of "it …". */
export function rateProblem(text: string): string | undefined {
  return text === OFF || readRate(text) !== undefined
    ? undefined
    : 'must be a number per time such as "100/60s", "5/s" or "1000/h", or "off"';
}

/** The rate of an option; undefined for no limit. */
export function parseRate(text: string | undefined): Rate | undefined {
  return text === undefined ? undefined : readRate(text);
}

function readRate(text: string): Rate | undefined {
  const [, count = "", amount = "1", unit] = FORM.exec(text) ?? [];
  if (unit === undefined) return undefined;
  const rate = { count: Number(count), perMs: Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS] };
  return rate.count > 0 && rate.perMs > 0 ? rate : undefined;
}
