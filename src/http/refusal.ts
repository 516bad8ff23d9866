/**
 * What a guard says no with, and how it goes over the wire: a JSON-RPC error without an id (MCP 2025-11-25, "Streamable
 * HTTP"), because at that point no message has been accepted yet.
 */

import { RPC_CODE } from "../protocol/json_rpc.ts";

export interface Refusal {
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
  message: string,
  options: { readonly code?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): { readonly ok: false; readonly refusal: Refusal } {
  const { code = RPC_CODE.serverError, headers = {} } = options;
  return { ok: false, refusal: { status, code, message, headers } };
}

export function refusalResponse({ status, code, message, headers }: Refusal): Response {
  return new Response(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }), {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers },
  });
}
