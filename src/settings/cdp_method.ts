/**
 * Patterns for methods of the Chrome DevTools Protocol: `Browser.close`, `Target.*`, `Page.set*`.
 */

/** Methods have one domain; a star may only stand at the end, for any rest of the name. */
const FORM = /^[A-Z][A-Za-z0-9]*\.(?:[a-z][A-Za-z0-9]*\*?|\*)$/;

/** What is wrong with a pattern as the end of "it …". */
export function methodPatternProblem(pattern: string): string | undefined {
  return FORM.test(pattern)
    ? undefined
    : `must hold CDP methods such as "Browser.close" or "Target.*", not "${pattern}"`;
}
