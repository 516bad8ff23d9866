/**
 * The one error type of the product and the exit status of each of its codes.
 */

/** What went wrong, as a stable word. Tests, logs and front ends choose by it, never by the message. */
export type ErrorCode =
  | "internal"
  | "usage"
  | "browser_unavailable"
  | "upstream_failed"
  | "cannot_bind"
  | "locked"
  | "cdp_capacity";

const EXIT_STATUS: Readonly<Record<ErrorCode, number>> = {
  internal: 1,
  usage: 2,
  browser_unavailable: 3,
  upstream_failed: 4,
  cannot_bind: 5,
  locked: 5,
  cdp_capacity: 5,
};

/**
 * A fault that somebody is told about. `message` says what could not be done and the present state,
 * `remedy` what to do about it; both are sentences without a final period.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly remedy: string | undefined;

  constructor(code: ErrorCode, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.remedy = options.remedy;
  }

  /** Process exit status that reports this error, documented in the README. */
  get exitStatus(): number {
    return EXIT_STATUS[this.code];
  }

  /** Message and remedy as one text. */
  describe(): string {
    return this.remedy === undefined ? this.message : `${this.message}. ${this.remedy}`;
  }
}

/** Text of anything thrown, without a stack: for messages that leave the process. */
export function messageOf(error: unknown): string {
  if (error instanceof AppError) return error.describe();
  if (error instanceof Error) return error.message;
  return String(error);
}
