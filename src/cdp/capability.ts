/**
 * The secret in a CDP address. Whoever knows it controls the browser, so it can be neither guessed nor found out
 * by the time that a comparison takes.
 */

import { Buffer } from "node:buffer";
import { randomBytes, timingSafeEqual } from "node:crypto";

const SECRET_BYTES = 32;

/** 43 characters of base64url hold 258 bits; the last one must leave the two surplus bits empty. */
const CANONICAL = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** Compared with where there is nothing to compare with, so that this takes as long. */
const NOBODYS = "A".repeat(43);

/** 43 characters, never the same twice. */
export function newCapability(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/**
 * Whether `given` is the capability that is live. Takes the same time for every answer.
 *
 * @param given as it stands in the path of a request
 * @param live undefined while there is none
 */
export function sameCapability(given: string, live: string | undefined): boolean {
  const wellFormed = CANONICAL.test(given) && live !== undefined && CANONICAL.test(live);
  const left = Buffer.from(wellFormed ? given : NOBODYS, "latin1");
  const right = Buffer.from(wellFormed ? live : NOBODYS, "latin1");
  return timingSafeEqual(left, right) && wellFormed;
}
