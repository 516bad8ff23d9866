/**
 * Brings the options of Playwright MCP together from command line, environment and settings file. What stands on the
 * command line or in the file is handed to the child as flags; its environment the child reads itself.
 */

import { alternatives, parseBoolean } from "./grammar.ts";
import { DEVICE_NAMES } from "./device_names.ts";
import { nameOrigin, type Origin } from "./origin.ts";
import { parseProxyAddress } from "./proxy_address.ts";
import { didYouMean } from "./suggest.ts";
import type { UpstreamArgument, UpstreamSetting } from "./settings.ts";
import { readUpstreamFile, refusal, type UpstreamFileValues } from "./upstream_file.ts";
import { UPSTREAM_FLAGS, type UpstreamFlag, upstreamFlag } from "./upstream_flags.ts";

/** One flag as it stood on the command line; switches have no value. A variadic flag occurs once per value. */
export interface FlagOccurrence {
  readonly flag: string;
  readonly value?: string;
}

export interface UpstreamOptions {
  readonly upstream: readonly UpstreamSetting[];
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

type Problems = string[];

/**
 * Flag before environment before file, per option. Command-line flags keep their order; the rest follows in table
 * order.
 */
export function resolveUpstreamOptions(
  flags: readonly FlagOccurrence[],
  env: Readonly<Record<string, string>>,
  file: UpstreamFileValues | undefined,
): UpstreamOptions {
  const problems: Problems = [];
  const notices: string[] = [];
  const upstream = fromFlags(flags, problems);
  const inFile = readUpstreamFile(file, problems);
  for (const row of UPSTREAM_FLAGS) {
    if (row.ours !== undefined || upstream.some((setting) => setting.flag === row.flag)) continue;
    if (row.refused) {
      noteRefused(row, env, notices);
      continue;
    }
    const setting = fromEnvironment(row, env, problems, notices);
    if (setting !== undefined) upstream.push(setting);
    else upstream.push(...(inFile.get(row.flag) ?? []));
  }
  for (const setting of upstream) problems.push(...checkForm(setting));
  return { upstream, problems, notices };
}

function fromFlags(flags: readonly FlagOccurrence[], problems: Problems): UpstreamSetting[] {
  const settings: UpstreamSetting[] = [];
  for (const { flag, value } of flags) {
    const row = upstreamFlag(flag);
    if (row === undefined || row.ours !== undefined) continue;
    const origin: Origin = { kind: "flag", name: flag };
    if (row.refused) problems.push(refusal(origin));
    else settings.push({ flag, values: value === undefined ? [] : [value], origin, argument: true });
  }
  return settings;
}

function fromEnvironment(
  row: UpstreamFlag,
  env: Readonly<Record<string, string>>,
  problems: Problems,
  notices: string[],
): UpstreamSetting | undefined {
  const text = row.env === undefined ? undefined : env[row.env];
  // Upstream takes an empty variable for one that is not set.
  if (row.env === undefined || text === undefined || text === "") return undefined;
  const origin: Origin = { kind: "env", name: row.env };
  const argument = row.envUnread === true;
  if (row.arity !== "switch") return { flag: row.flag, values: [text], origin, argument };
  if (argument) {
    const verdict = parseBoolean(text);
    if (!verdict.ok) {
      problems.push(`Cannot use ${JSON.stringify(text)} for ${row.env}: it ${verdict.problem}`);
    }
    return verdict.ok && verdict.value ? { flag: row.flag, values: [], origin, argument } : undefined;
  }
  if (!/^(true|false|0|1)$/.test(text)) {
    notices.push(`${row.env} has no effect: Playwright MCP ignores values other than "true" and "false"`);
    return undefined;
  }
  const on = text === "true" || text === "1";
  return on === isNegative(row) ? undefined : { flag: row.flag, values: [], origin, argument };
}

/** Upstream does not read the variable, so a start with it is no fault; who set it should know. */
function noteRefused(
  row: UpstreamFlag,
  env: Readonly<Record<string, string>>,
  notices: string[],
): void {
  if (row.env === undefined || (env[row.env] ?? "") === "") return;
  notices.push(`${row.env} has no effect: every HTTP session has a browser of its own`);
}

/** Refuses early what would make upstream end at start or carry on with NaN; everything else is upstream's to judge. */
function checkForm(setting: UpstreamSetting): string[] {
  const row = upstreamFlag(setting.flag);
  const problems: string[] = [];
  for (const value of setting.values) {
    const problem = row === undefined ? undefined : formProblem(row, value);
    if (problem === undefined) continue;
    const subject = row?.secret ? "the value of" : `${JSON.stringify(value)} for`;
    problems.push(`Cannot use ${subject} ${nameOrigin(setting.origin)}: it ${problem}`);
  }
  return problems;
}

/** What is wrong with the form of a value, as the end of "it …"; upstream would end at start, or carry on with NaN. */
export function formProblem(row: UpstreamFlag, value: string): string | undefined {
  if (row.choices !== undefined && !row.choices.includes(value)) {
    return `must be ${alternatives(row.choices)}`;
  }
  if (row.form === "number" && Number.isNaN(Number(value))) return "must be a number";
  if (row.form === "number" && Number(value) < 0) return "must not be negative";
  // The value goes into a header of every request.
  if (row.form === "header" && /[\r\n\0]/.test(value)) return "must stand on one line";
  if (row.form === "size" && value !== "") {
    const [width = 0, height = 0] = value.split(value.includes("x") ? "x" : ",").map(Number);
    if (!(width > 0 && height > 0)) return 'must be a width and a height such as "1280x720"';
  }
  if (row.form === "proxy" && value !== "") {
    const verdict = parseProxyAddress(value);
    if (!verdict.ok) return verdict.problem;
  }
  if (row.form === "device" && value !== "" && !DEVICE_NAMES.includes(value.trim())) {
    return `must be a device that Playwright knows${didYouMean(value, DEVICE_NAMES)}`;
  }
  if (row.form === "name" && value !== "" && !/^(?!\.{1,2}$)[^/\\\0]+$/.test(value.trim())) {
    return "must be the name of a directory, not a path";
  }
  return undefined;
}

function isNegative(row: UpstreamFlag): boolean {
  return row.flag.startsWith("--no-");
}

/** The flags to hand to the child, in order. */
export function upstreamArguments(upstream: readonly UpstreamSetting[]): UpstreamArgument[] {
  return upstream
    .filter((setting) => setting.argument)
    .map(({ flag, values }) => ({ flag, values }));
}
