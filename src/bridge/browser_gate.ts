/**
 * What stands between a client's browser call and upstream: the browser executable has to be there.
 */

/** Fields of `notifications/progress` beside its token (MCP 2025-11-25, "Progress"). */
export interface GateProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

export interface BrowserGate {
  /** Whether a call may be forwarded at once. */
  readonly open: boolean;
  /**
   * Gets the browser ready. Concurrent calls share the work; a rejection leaves the gate closed, and the next
   * call tries again.
   *
   * @returns `replanned` for the first caller where the executable is another one than the child was started with
   * @throws {AppError} `browser_unavailable`, with a text for the agent
   */
  pass(report: (progress: GateProgress) => void): Promise<{ readonly replanned: boolean }>;
}
