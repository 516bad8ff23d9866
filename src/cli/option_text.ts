/**
 * How one option reads in help and documents.
 */

import { envName, type Group, negativeFlag, type Option, secretFileNames } from "../settings/option.ts";
import type { UpstreamFlag } from "../settings/upstream_flags.ts";

export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  general: "General",
  http: "Streamable HTTP",
  browser: "Browser",
  cdp: "Managed CDP",
  upstream: "Upstream process",
  life: "Start and end",
  logging: "Log",
};

export const PLAYWRIGHT_TITLE = "Playwright MCP";

/** The flags of an option as one term: `--[no-]headless`, `--binary-path <file>`; empty where it has none. */
export function flagTerm(key: string, option: Option): string {
  const { flag } = option;
  if (flag === undefined) return option.secret ? `${secretFileNames(key, option).flag} <file>` : "";
  if (option.type === "boolean") return negativeFlag(flag).replace("--no-", "--[no-]");
  return option.type === "paths" ? `${flag} <${option.valueName}...>` : `${flag} <${option.valueName}>`;
}

/** Every variable that sets an option, the strongest first. */
export function variablesOf(key: string, option: Option): string[] {
  const names = option.env.map((env) =>
    typeof env !== "string" && env.inverted ? `${env.name} (inverted)` : envName(env)
  );
  return option.secret ? [...names, ...secretFileNames(key, option).env] : names;
}

/** The default as a reader would write it; undefined where there is none. */
export function defaultOf(option: Option): string | undefined {
  if (option.defaultText !== undefined) return option.defaultText;
  if (option.default === undefined || typeof option.default === "object") return undefined;
  return String(option.default);
}

/** What stands in brackets after the help text. */
export function optionNotes(key: string, option: Option): string {
  const byDefault = defaultOf(option);
  return brackets([
    option.type === "choice" && `choices: ${option.choices.join(", ")}`,
    byDefault !== undefined && `default: ${byDefault}`,
    option.aliases !== undefined && `also: ${option.aliases.join(", ")}`,
    `env: ${variablesOf(key, option).join(", ")}`,
  ]);
}

/** An upstream flag as it is declared: `--caps <caps>`, `--init-script <path...>`. */
export function upstreamTerm(row: UpstreamFlag): string {
  if (row.arity === "switch") return row.flag;
  return `${row.flag} <${row.valueName}${row.arity === "variadic" ? "..." : ""}>`;
}

export function upstreamNotes(row: UpstreamFlag): string {
  return brackets([
    row.choices !== undefined && `choices: ${row.choices.join(", ")}`,
    row.env !== undefined && `env: ${upstreamVariable(row)}`,
  ]);
}

/** The variable of an upstream flag, with the value that means the flag where that is not `true`. */
export function upstreamVariable(row: UpstreamFlag): string {
  return row.flag.startsWith("--no-") ? `${row.env}=false` : row.env ?? "";
}

function brackets(notes: readonly (string | false)[]): string {
  const present = notes.filter((note) => note !== false);
  return present.length === 0 ? "" : ` (${present.join("; ")})`;
}
