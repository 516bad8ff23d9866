/** One line of the performance table. `value` and `peer` are in `unit`; the target says which of them it is about. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly value: number;
  readonly peer?: { readonly name: string; readonly value: number };
  readonly target: string;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}
