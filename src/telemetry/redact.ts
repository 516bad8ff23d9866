/**
 * Keeps secrets out of texts that leave the process.
 */

const HIDDEN = "<hidden>";

/** Shorter values would blank out ordinary words. */
const MIN_SECRET_CHARS = 6;

/** A function that replaces every occurrence of any of the values. */
export function createRedactor(secrets: readonly (string | undefined)[]): (text: string) => string {
  const values = secrets.filter((value): value is string =>
    value !== undefined && value.length >= MIN_SECRET_CHARS
  );
  if (values.length === 0) return (text) => text;
  return (text) => values.reduce((redacted, value) => redacted.replaceAll(value, HIDDEN), text);
}
