/** Requests and answers of guards, without sockets. */

import assert from "node:assert/strict";
import { type Refusal, refusalResponse, type Verdict } from "../../src/http/refusal.ts";

/** A request to a server on port 3000 of this machine. */
export function request(
  headers: Readonly<Record<string, string>> = {},
  init: RequestInit & { readonly path?: string } = {},
): Request {
  const { path = "/mcp", ...rest } = init;
  return new Request(`http://localhost:3000${path}`, {
    ...rest,
    headers: { host: "localhost:3000", ...headers },
  });
}

/** The refusal of a verdict that must be one. */
export function refused(verdict: Verdict, status: number): Refusal {
  assert.ok(!verdict.ok, "refused");
  assert.equal(verdict.refusal.status, status, verdict.refusal.message);
  return verdict.refusal;
}

/** What a client sees of a verdict: 200 where it is none of a refusal. */
export function answer(verdict: Verdict): Response {
  return verdict.ok ? new Response() : refusalResponse(verdict.refusal);
}
