/**
 * Deno up to 2.7.13 throws "Not implemented" when `http.request` or `https.request` is given a `lookup`
 * function, so that upstream cannot connect to any CDP or remote endpoint. Upstream's function only merges
 * IPv4 and IPv6 answers; the runtime's own look-up does.
 */

import http from "node:http";
import https from "node:https";

type Request = (...args: unknown[]) => unknown;

/** Drops the `lookup` option from requests. */
export function repairHttpLookup(): void {
  for (const module of [http, https]) {
    const requests = module as unknown as Record<"request" | "get", Request>;
    for (const name of ["request", "get"] as const) {
      const original = requests[name];
      requests[name] = (...args) => original(...args.map(withoutLookup));
    }
  }
}

/** The options may be the first or the second argument. */
function withoutLookup(arg: unknown): unknown {
  if (typeof arg !== "object" || arg === null || !("lookup" in arg)) return arg;
  const { lookup: _, ...rest } = arg;
  return rest;
}
