/**
 * What a run of the doctor finds, in the shape that `doctor --json` prints and `docs/doctor.schema.json` describes.
 */

/** From the best to the worst; `skipped` says that there was nothing to judge. */
export const STATUSES = ["skipped", "ok", "warning", "error"] as const;
export type Status = (typeof STATUSES)[number];

/** One fact and what it means for a start with the same settings. */
export interface Finding {
  readonly status: Status;
  /** A sentence without a final period; lines of a program's own output may follow. */
  readonly message: string;
  /** What to do about it; every warning and error has one. */
  readonly remedy?: string;
}

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Facts for programs; which there are is each check's own affair. */
export type Details = Readonly<Record<string, Json>>;

export interface CheckReport {
  readonly name: string;
  /** That of the worst finding. */
  readonly status: Status;
  /** How long the check took. */
  readonly ms: number;
  readonly findings: readonly Finding[];
  readonly details: Details;
}

export interface DoctorReport {
  /** Goes up when something of this shape is renamed, removed or changes its meaning; additions leave it. */
  readonly formatVersion: 1;
  /** The worst of all checks. */
  readonly status: Exclude<Status, "skipped">;
  /** Whether the browser was launched. */
  readonly deep: boolean;
  readonly checks: readonly CheckReport[];
}

export function worst(statuses: readonly Status[]): Status {
  return STATUSES[Math.max(0, ...statuses.map((status) => STATUSES.indexOf(status)))] ?? "skipped";
}

export function createReport(checks: readonly CheckReport[], deep: boolean): DoctorReport {
  const status = worst(checks.map((check) => check.status));
  return { formatVersion: 1, status: status === "skipped" ? "ok" : status, deep, checks };
}
