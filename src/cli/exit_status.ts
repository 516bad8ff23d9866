/** What the exit status of the process means; the numbers are those of `errors.ts`, and one of the doctor. */
export const EXIT_STATUSES: readonly (readonly [status: number, meaning: string])[] = [
  [0, "fine: the client has closed the connection, a signal asked for the end, or the command is done"],
  [1, "unexpected fault"],
  [2, "usage: a flag, variable or settings file cannot be used"],
  [3, "no browser is to be had"],
  [4, "the upstream process failed"],
  [5, "an address cannot be bound, or something is locked by another process"],
  [6, "the command doctor has found something that does not work"],
];
