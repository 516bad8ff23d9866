/**
 * Runs checks side by side, each within its time; no check can stop another.
 */
import { AppError, messageOf } from "../errors.ts";
import { settlesWithin } from "../platform/deadline.ts";
import { type Check, type CheckResult, error } from "./check.ts";
import { type CheckReport, worst } from "./report.ts";
import type { DoctorWorld } from "./world.ts";

/** What a check that was given up may need to end what it has started. */
const CLEANUP_MS = 6000;

/**
 * @param signal gives all of them up
 * @returns reports in the order of the checks
 */
export async function runChecks(
  checks: readonly Check[],
  world: DoctorWorld,
  signal: AbortSignal,
): Promise<CheckReport[]> {
  return await Promise.all(checks.map((check) => runCheck(check, world, signal)));
}

async function runCheck(check: Check, world: DoctorWorld, signal: AbortSignal): Promise<CheckReport> {
  const startedAt = performance.now();
  const expiry = new AbortController();
  const running = attempt(check, world, AbortSignal.any([signal, expiry.signal]));
  let result: CheckResult;
  if (await settlesWithin(running, check.boundMs)) {
    result = await running;
  } else {
    expiry.abort();
    await settlesWithin(running, CLEANUP_MS);
    result = givenUp(check);
  }
  return {
    name: check.name,
    status: worst(result.findings.map((finding) => finding.status)),
    ms: Math.round(performance.now() - startedAt),
    findings: result.findings,
    details: result.details ?? {},
  };
}

/** Never rejects. */
async function attempt(check: Check, world: DoctorWorld, signal: AbortSignal): Promise<CheckResult> {
  try {
    return await check.run(world, signal);
  } catch (cause) {
    const told = cause instanceof AppError ? cause.message : `Cannot be checked: ${messageOf(cause)}`;
    const remedy = cause instanceof AppError ? cause.remedy : undefined;
    return { findings: [error(told, remedy ?? UNKNOWN_REMEDY)] };
  }
}

const UNKNOWN_REMEDY = "Correct what the message names and run the doctor again";

function givenUp({ boundMs }: Check): CheckResult {
  return {
    findings: [
      error(
        `Was given up after ${boundMs / 1000} s`,
        "Look for a disk, file system or network that does not answer, or a machine that is overloaded",
      ),
    ],
  };
}
