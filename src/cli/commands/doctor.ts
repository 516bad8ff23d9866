/**
 * The `doctor` command: what would keep a server with these settings from working, and what to do about it.
 */
import manifest from "../../../deno.json" with { type: "json" };
import { withoutCredentials } from "../../browser/credentials.ts";
import { runDoctor } from "../../app/run_doctor.ts";
import { renderJson, renderText } from "../../doctor/render.ts";
import type { DoctorReport } from "../../doctor/report.ts";
import { pathProblems } from "../../settings/check_paths.ts";
import { type JudgedSettings, judgeSettings } from "../../settings/resolve_settings.ts";
import { secretValues } from "../../settings/secrets.ts";
import type { FlagOccurrence } from "../../settings/upstream_options.ts";
import { createRedactor } from "../../telemetry/redact.ts";
import { versionReport } from "../version_report.ts";

export interface DoctorOptions {
  readonly flags: readonly FlagOccurrence[];
  readonly json: boolean;
  readonly deep: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly readTextFile: (path: string) => string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether standard output is a terminal. */
  readonly terminal: boolean;
}

/** Something does not work: the exit status of a `doctor` that has found an error. */
export const BROKEN = 6;

/** @returns the exit status */
export async function doctor(options: DoctorOptions, run: typeof runDoctor = runDoctor): Promise<number> {
  const { env, cwd, json, deep, terminal, stdout, stderr } = options;
  const judged = await judgeSettings(options);
  const problems = await pathProblems({ resolved: judged.resolved, env, cwd });
  const report = await run({ judged, problems, env, cwd, deep, stderr, versions: versions() });
  if (typeof report === "number") return report;
  const redact = redactorOf(judged);
  stdout(json ? renderJson(report, redact) : renderText(report, redact, terminal && mayColour(env)));
  return doctorStatus(report);
}

export function doctorStatus({ status }: Pick<DoctorReport, "status">): number {
  return status === "error" ? BROKEN : 0;
}

/** https://no-color.org: set and not empty means no colours. A terminal may also be too simple for them. */
function mayColour(env: Readonly<Record<string, string>>): boolean {
  return (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

function redactorOf({ resolved }: JudgedSettings): (text: string) => string {
  const redact = createRedactor(secretValues(resolved.settings));
  return (text) => withoutCredentials(redact(text));
}

function versions(): Parameters<typeof runDoctor>[0]["versions"] {
  const { version, deno, upstream, playwrightCore, target, compiled } = versionReport();
  const cloakbrowser = manifest.imports["cloakbrowser"].replace(/^.*@/, "");
  return { version, deno, upstream: upstream.version, playwrightCore, cloakbrowser, target, compiled };
}
