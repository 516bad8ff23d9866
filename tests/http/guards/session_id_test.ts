import assert from "node:assert/strict";
import { readSessionId, requireSessionId, sessionNotFound } from "../../../src/http/guards/session_id.ts";
import { refused, request } from "../requests.ts";

const ID = crypto.randomUUID();

Deno.test("readSessionId() gives the id, or none", () => {
  assert.deepEqual(readSessionId(request({ "mcp-session-id": ID })), { ok: true, sessionId: ID });
  assert.deepEqual(readSessionId(request()), { ok: true, sessionId: undefined });
});

Deno.test("readSessionId() refuses empty and several ids", () => {
  for (const header of ["", `${ID}, ${ID}`, `${ID},${crypto.randomUUID()}`, "a b"]) {
    assert.match(
      refused(readSessionId(request({ "mcp-session-id": header })), 400).message,
      /one session id/,
    );
  }
  const headers = new Headers([["mcp-session-id", ID], ["mcp-session-id", ID]]);
  refused(readSessionId(new Request("http://localhost/mcp", { headers })), 400);
});

Deno.test("requireSessionId() refuses a request without one in the words of its method", () => {
  assert.match(
    refused(requireSessionId(request({}, { method: "POST" })), 400).message,
    /No valid session ID provided/,
  );
  for (const method of ["GET", "DELETE"]) {
    assert.match(
      refused(requireSessionId(request({}, { method })), 400).message,
      /Mcp-Session-Id header is required/,
    );
  }
  assert.deepEqual(requireSessionId(request({ "mcp-session-id": ID })), { ok: true, sessionId: ID });
});

Deno.test("sessionNotFound() has the status and the code that make clients start anew", () => {
  const { code, message } = refused(sessionNotFound(), 404);
  assert.deepEqual([code, message], [-32001, "Session not found"]);
});
