/** How much of a session's id a log line shows: enough to follow it, not enough to use it. */
const LOGGED_ID_CHARS = 8;

/** Names a session in logs, and in the names of its files. */
export function shortId(id: string): string {
  return id.slice(0, LOGGED_ID_CHARS);
}
