/**
 * One question that the doctor asks, and how its answer is put.
 */
import type { Details, Finding } from "./report.ts";
import type { DoctorWorld } from "./world.ts";

export interface CheckResult {
  readonly findings: readonly Finding[];
  readonly details?: Details;
}

export interface Check {
  /** Stable word, for reports. */
  readonly name: string;
  /** After this time the check is given up and counts as failed. */
  readonly boundMs: number;
  /**
   * Leaves nothing behind. What it throws becomes its one finding, an error.
   *
   * @param signal aborted when nobody waits any more: programs are to be ended, connections to be closed
   */
  readonly run: (world: DoctorWorld, signal: AbortSignal) => Promise<CheckResult>;
}

export function ok(message: string): Finding {
  return { status: "ok", message };
}

/** For what does not apply here, or could not be looked at. */
export function skipped(message: string): Finding {
  return { status: "skipped", message };
}

export function warning(message: string, remedy: string): Finding {
  return { status: "warning", message, remedy };
}

export function error(message: string, remedy: string): Finding {
  return { status: "error", message, remedy };
}
