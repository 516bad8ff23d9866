/**
 * Functions of the `cloakbrowser` package that its own command line uses and that it does not export: the newest
 * release, and the seats of a licence. They lie beside what it exports, also in a compiled program.
 */

import { AppError, messageOf } from "../errors.ts";

interface Parts {
  readonly "download.js": {
    /** Version of the newest free release; null where nobody answers. */
    getLatestChromiumVersion(): Promise<string | null>;
  };
  readonly "license.js": {
    /** The newest release that a licence pays for; null where nobody answers. */
    getProLatestRelease(channel: "stable" | "preview"): Promise<{ readonly version: string } | null>;
    getSessionSeats(licenseKey: string): Promise<Seats>;
  };
}

/** How many browsers run under a licence, of how many that may. */
export interface Seats {
  readonly active: number | null;
  readonly limit: number | null;
  readonly state: "ok" | "unreachable" | "denied" | "unknown";
  readonly reason: string | null;
}

/** Calls one function of one file of the package, whose environment must have been prepared. */
export async function callPart<F extends keyof Parts, N extends keyof Parts[F] & string>(
  file: F,
  name: N,
  ...args: Parts[F][N] extends (...args: infer A) => unknown ? A : never
): Promise<Parts[F][N] extends (...args: never[]) => Promise<infer R> ? R : never> {
  let found: unknown;
  try {
    const part = await import(new URL(file, import.meta.resolve("cloakbrowser")).href);
    found = part[name];
  } catch (cause) {
    throw missing(name, messageOf(cause));
  }
  if (typeof found !== "function") throw missing(name, `there is no such function in its ${file}`);
  return await found(...args);
}

/** Another version of the package, which the tests would have shown. */
function missing(name: string, reason: string): AppError {
  return new AppError("internal", `Cannot use "${name}" of the package cloakbrowser: ${reason}`);
}
