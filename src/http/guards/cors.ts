/**
 * Lets web pages of the origins that `--allowed-origin` names read our answers (Fetch standard, "CORS protocol"), and
 * no others: without such an origin no header of it is ever sent.
 */

import { canonicalOrigin } from "./origin.ts";

export interface Cors {
  /** The answer to a preflight of an allowed origin; undefined for every other request. */
  preflight(request: Request): Response | undefined;
  /** Headers that an answer to this request needs, refusals included. */
  headers(request: Request): Readonly<Record<string, string>>;
}

const METHODS = "GET, POST, DELETE";
const REQUEST_HEADERS =
  "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id";
const EXPOSED_HEADERS = "Mcp-Session-Id, Retry-After, WWW-Authenticate";

/** How long a browser may remember a preflight: short enough that a changed setting is seen soon. */
const PREFLIGHT_SECONDS = 600;

export function createCors(allowedOrigins: readonly string[]): Cors {
  const allowed = new Set(allowedOrigins.map(canonicalOrigin));
  const headers = (request: Request): Readonly<Record<string, string>> => {
    if (allowed.size === 0) return {};
    const origin = request.headers.get("origin");
    // Caches must not hand the answer for one origin to another, nor the one without origin to a page.
    if (origin === null || !allowed.has(canonicalOrigin(origin))) return { Vary: "Origin" };
    return {
      Vary: "Origin",
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Expose-Headers": EXPOSED_HEADERS,
    };
  };
  return {
    headers,
    preflight(request): Response | undefined {
      if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) {
        return undefined;
      }
      const granted = headers(request);
      if (granted["Access-Control-Allow-Origin"] === undefined) return undefined;
      return new Response(null, {
        status: 204,
        headers: {
          ...granted,
          "Access-Control-Allow-Methods": METHODS,
          "Access-Control-Allow-Headers": REQUEST_HEADERS,
          "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
        },
      });
    },
  };
}
