/**
 * What a guard says no with, and how it goes over the wire: a JSON-RPC error without an id (MCP 2025-11-25, "Streamable
 * HTTP"), because at that point no message has been accepted yet.
 */

import { RPC_CODE } from "../protocol/json_rpc.ts";

/** Why a request goes no further, in words that a metric may carry: a closed set, and nothing that a client wrote. */
export const REFUSAL_REASONS = [
  "host",
  "origin",
  "path",
  "token",
  "method",
  "content_type",
  "accept",
  "body",
  "body_size",
  "message",
  "request_id",
  "session",
  "protocol_version",
  "last_event_id",
  "stream",
  "settings",
  "session_rate",
  "call_rate",
  "capacity",
  "client_capacity",
  "draining",
  "internal",
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export interface Refusal {
  readonly reason: RefusalReason;
  /** HTTP status. */
  readonly status: number;
  /** JSON-RPC code. */
  readonly code: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a guard finds: what it has read from the request, or why the request goes no further. */
export type Verdict<T extends object = object> =
  | ({ readonly ok: true } & Readonly<T>)
  | { readonly ok: false; readonly refusal: Refusal };

/** For guards that read nothing from the request. */
export const PASSED: Verdict = { ok: true };

export function refuse(
  status: number,
  reason: RefusalReason,
  message: string,
  options: { readonly code?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): { readonly ok: false; readonly refusal: Refusal } {
  const { code = RPC_CODE.serverError, headers = {} } = options;
  return { ok: false, refusal: { reason, status, code, message, headers } };
}

/** An answer that says no, and why: whoever sends it out can count by the reason. */
export class RefusalResponse extends Response {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, body: string, init: ResponseInit) {
    super(body, init);
    this.reason = reason;
  }
}

export function refusalResponse({ reason, status, code, message, headers }: Refusal): RefusalResponse {
  return new RefusalResponse(reason, JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }), {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers },
  });
}
