/**
 * Access by bearer token (RFC 6750, section 2.1). Tokens in the address or in the body are never looked at.
 */

import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import { refuse, type Verdict } from "../refusal.ts";

/**
 * Who sent a request: names the token without telling it, the same in every process; undefined where the server has
 * no tokens. A session belongs to the owner that opened it.
 */
export type Owner = string | undefined;

export type BearerGuard = (request: Request) => Verdict<{ readonly owner: Owner }>;

/** Half a digest's worth of a half: 64 bits keep a handful of tokens apart. */
const OWNER_CHARACTERS = 16;

export function createBearerGuard(tokens: readonly string[]): BearerGuard {
  const known = tokens.map(digest);
  const unauthorized = refuse(401, "token", "Unauthorized", { headers: { "WWW-Authenticate": "Bearer" } });
  return (request) => {
    if (known.length === 0) return { ok: true, owner: undefined };
    const token = bearerToken(request.headers.get("authorization"));
    if (token === undefined) return unauthorized;
    const offered = digest(token);
    let found: Buffer | undefined;
    // Every token is compared, and digests of one length, so that the time tells nothing about any of them.
    for (const candidate of known) {
      if (timingSafeEqual(candidate, offered)) found = candidate;
    }
    return found === undefined
      ? unauthorized
      : { ok: true, owner: found.toString("hex").slice(0, OWNER_CHARACTERS) };
  };
}

/** Exactly two words, the first of them `Bearer` in any case. */
function bearerToken(header: string | null): string | undefined {
  const words = (header ?? "").trim().split(/\s+/);
  return words.length === 2 && words[0]?.toLowerCase() === "bearer" ? words[1] : undefined;
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
