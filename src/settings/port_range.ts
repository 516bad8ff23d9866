/**
 * Ranges of TCP ports as they are written in options: `9300` or `9300-9399`.
 */

/** Both ends are in the range. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const SMALLEST_PORT = 1;
export const LARGEST_PORT = 65_535;

/** ASCII digits only: blanks, signs and exponents are refused. */
const FORM = /^([0-9]+)(?:-([0-9]+))?$/;

/** What is wrong with a range as the end of "it …". */
export function portRangeProblem(text: string): string | undefined {
  const range = readRange(text);
  if (range === undefined) return 'must be a port or a range of ports such as "9300" or "9300-9399"';
  if (!isPort(range.first) || !isPort(range.last)) {
    return `must be between ${SMALLEST_PORT} and ${LARGEST_PORT}`;
  }
  return range.first > range.last ? "must not end before it starts" : undefined;
}

/** The range of an option; undefined where there is none. */
export function parsePortRange(text: string | undefined): PortRange | undefined {
  return text === undefined || portRangeProblem(text) !== undefined ? undefined : readRange(text);
}

/** Whether every port of the range is one, after a shift. */
export function isShiftable({ first, last }: PortRange, offset: number): boolean {
  return isPort(first + offset) && isPort(last + offset);
}

function readRange(text: string): PortRange | undefined {
  const [, first, last = first] = FORM.exec(text) ?? [];
  return first === undefined ? undefined : { first: Number(first), last: Number(last) };
}

function isPort(number: number): boolean {
  return number >= SMALLEST_PORT && number <= LARGEST_PORT;
}
