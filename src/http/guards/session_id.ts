/**
 * The `Mcp-Session-Id` header (MCP 2025-11-25, "Session Management"). It says which session is meant and never who asks.
 */

import { refuse, type Verdict } from "../refusal.ts";

/** Code for a session that is not there, as the reference and the SDK use it. */
const SESSION_NOT_FOUND = -32001;

/** The id as it stands in the header; undefined where there is none, as for `initialize`. */
export function readSessionId(request: Request): Verdict<{ readonly sessionId: string | undefined }> {
  const header = request.headers.get("mcp-session-id");
  if (header === null) return { ok: true, sessionId: undefined };
  // Several headers reach us as one, joined by commas; the ids that we give out have neither commas nor blanks.
  if (/^[!-+\--~]+$/.test(header)) return { ok: true, sessionId: header };
  return refuse(
    400,
    "session",
    `Bad Request: Mcp-Session-Id must be one session id${header === "" ? ", not empty" : ""}`,
  );
}

/** For every request but `initialize`. */
export function requireSessionId(request: Request): Verdict<{ readonly sessionId: string }> {
  const read = readSessionId(request);
  if (!read.ok) return read;
  if (read.sessionId !== undefined) return { ok: true, sessionId: read.sessionId };
  return refuse(
    400,
    "session",
    request.method === "POST"
      ? "Bad Request: No valid session ID provided"
      : "Bad Request: Mcp-Session-Id header is required",
  );
}

/** For an id that was never given out, is over, or belongs to another token: the three must not be told apart. */
export function sessionNotFound(): ReturnType<typeof refuse> {
  return refuse(404, "session", "Session not found", { code: SESSION_NOT_FOUND });
}
