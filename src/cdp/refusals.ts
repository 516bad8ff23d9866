/**
 * What a CDP client is refused with.
 */

import { answerBytes } from "./answer.ts";

const REFUSALS = {
  not_found: { status: 404, message: "CDP endpoint not found" },
  method_not_allowed: { status: 405, message: "CDP method not allowed" },
  bad_request: { status: 400, message: "Invalid CDP request" },
  request_timeout: { status: 408, message: "CDP request timed out" },
  payload_too_large: { status: 413, message: "CDP request body is not allowed" },
  headers_too_large: { status: 431, message: "CDP request headers are too large" },
  forbidden: { status: 403, message: "CDP request forbidden" },
  unavailable: { status: 503, message: "CDP endpoint unavailable" },
  upstream_error: { status: 502, message: "Chromium rejected the CDP request" },
  bad_gateway: { status: 502, message: "Invalid response from Chromium" },
  gateway_timeout: { status: 504, message: "Chromium response timed out" },
  internal_error: { status: 500, message: "Internal CDP proxy error" },
} as const;

export type RefusalCode = keyof typeof REFUSALS;

export interface Refusal {
  readonly code: RefusalCode;
  /** Another status than the code has: that of Chromium, for `upstream_error`. */
  readonly status?: number;
  /** The method that there is, for `method_not_allowed`. */
  readonly allow?: string;
}

/** What a step finds, or why the request goes no further. */
export type Verdict<T extends object = object> =
  | ({ readonly ok: true } & Readonly<T>)
  | ({ readonly ok: false } & Refusal);

export const PASSED: Verdict = { ok: true };

export function refuse(
  code: RefusalCode,
  details: Omit<Refusal, "code"> = {},
): { readonly ok: false } & Refusal {
  return { ok: false, code, ...details };
}

export function refusalStatus({ code, status }: Refusal): number {
  return status ?? REFUSALS[code].status;
}

/** @param method of the request: an answer to HEAD has no body */
export function refusalBytes(refusal: Refusal, method?: string): Uint8Array {
  const { code, allow } = refusal;
  return answerBytes(
    refusalStatus(refusal),
    "json",
    JSON.stringify({ error: { code, message: REFUSALS[code].message } }),
    { headers: allow === undefined ? {} : { Allow: allow }, headOnly: method === "HEAD" },
  );
}
