/**
 * The report as people and as programs read it.
 */
import type { DoctorReport, Finding, Json, Status } from "./report.ts";

/** Select Graphic Rendition, ECMA-48 section 8.3.117. */
const COLOURS: Readonly<Record<Status, number>> = { skipped: 90, ok: 32, warning: 33, error: 31 };

/** Escape sequences that a browser prints must not reach the terminal. */
// deno-lint-ignore no-control-regex -- these are what is taken out
const CONTROL = /\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** JSON with two blanks of indentation and a final newline. */
export function renderJson(report: DoctorReport, redact: (text: string) => string): string {
  const clean = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value.replace(CONTROL, ""));
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, clean(member as Json)]));
  };
  return `${JSON.stringify(clean(report), null, 2)}\n`;
}

/** One line for each finding, its remedy below it, and a line that sums up. */
export function renderText(
  report: DoctorReport,
  redact: (text: string) => string,
  colours: boolean,
): string {
  const nameWidth = Math.max(0, ...report.checks.map(({ name }) => name.length));
  const indentation = " ".repeat(STATUS_WIDTH + nameWidth + 2 * GAP.length);
  const lines: string[] = [];
  for (const { name, findings } of report.checks) {
    for (const [index, finding] of findings.entries()) {
      const status = paint(finding.status, colours) + " ".repeat(STATUS_WIDTH - finding.status.length);
      const label = (index === 0 ? name : "").padEnd(nameWidth);
      const [first = "", ...more] = textOf(finding, redact);
      lines.push([status, label, first].join(GAP), ...more.map((line) => indentation + line));
    }
  }
  return [...lines, "", summary(report, colours), ""].join("\n");
}

const GAP = "  ";
const STATUS_WIDTH = Math.max(...Object.keys(COLOURS).map((status) => status.length));

function textOf({ message, remedy }: Finding, redact: (text: string) => string): string[] {
  const lines = redact(message.replace(CONTROL, "")).split("\n");
  return remedy === undefined ? lines : [...lines, ...redact(`→ ${remedy}`.replace(CONTROL, "")).split("\n")];
}

function paint(status: Status, colours: boolean): string {
  return colours ? `\x1b[${COLOURS[status]}m${status}\x1b[0m` : status;
}

function summary({ checks, status }: DoctorReport, colours: boolean): string {
  const count = (wanted: Status): number =>
    checks.flatMap(({ findings }) => findings).filter((finding) => finding.status === wanted).length;
  const errors = count("error");
  const warnings = count("warning");
  const parts = [
    ...(errors > 0 ? [plural(errors, "error")] : []),
    ...(warnings > 0 ? [plural(warnings, "warning")] : []),
  ];
  return `${paint(status, colours)}: ${parts.length === 0 ? "nothing is wrong" : parts.join(", ")}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
