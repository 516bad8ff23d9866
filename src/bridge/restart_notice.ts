/**
 * What the first result of a new browser tells the agent: that this is not the browser it had before. Without it the
 * agent would look for its pages, and find an error about an element that it has just seen.
 */

/** @param why the end of "The browser was started anew before this call: …" */
export function restartNotice(why: string): string {
  return `### Note\nThe browser was started anew before this call: ${why}. Pages that were open, and whatever was ` +
    "typed or chosen in them, are gone; cookies and storage stay only in a profile that is kept. Navigate again to what you need.";
}
