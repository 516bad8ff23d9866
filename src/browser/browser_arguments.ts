/** The part before `=`: what Chromium tells two arguments apart by. */
export function argumentKey(argument: string): string {
  const equals = argument.indexOf("=");
  return equals === -1 ? argument : argument.slice(0, equals);
}

/**
 * Joins lists of browser arguments; of two with the same key the later one wins and takes the place of the earlier
 * one, because Chromium itself would silently take the last.
 */
export function mergeBrowserArguments(...lists: readonly (readonly string[])[]): string[] {
  const byKey = new Map<string, string>();
  for (const argument of lists.flat()) byKey.set(argumentKey(argument), argument);
  return [...byKey.values()];
}
