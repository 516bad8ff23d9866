/**
 * Settings from command line, environment, settings file and defaults: flag before environment before file before
 * default. Only the value that wins is judged, so a wrong one that something stronger shadows does no harm.
 */

import { AppError } from "../errors.ts";
import { judgeBrowserChoice } from "./browser_choice.ts";
import { judgeCdp } from "./cdp_rules.ts";
import { judgeHttp } from "./http_rules.ts";
import { judgePages } from "./page_rules.ts";
import type { Option } from "./option.ts";
import { optionRows, OPTIONS, type SettingKey } from "./option_table.ts";
import { nameOrigin, type Origin } from "./origin.ts";
import type { ResolvedSettings, Settings } from "./settings.ts";
import { chooseTransport } from "./transport_choice.ts";
import { unknownVariables } from "./unknown_variables.ts";
import { resolveUpstreamOptions, upstreamArguments } from "./upstream_options.ts";
import { type Given, giveValue, readNamedFile, type SettingsInput, type Sources } from "./value_sources.ts";

const DEFAULT: Origin = { kind: "default" };

/** Settings and what is wrong with their sources; a value that cannot be used is left at its default. */
export interface JudgedSettings {
  readonly resolved: ResolvedSettings;
  /** One sentence each; a server with any of them does not start. */
  readonly problems: readonly string[];
}

/**
 * Makes the settings object. Reads nothing but the settings file and files that hold secrets, and only those that are
 * named.
 *
 * @throws {AppError} `usage`, with one line for every problem found
 */
export async function resolveSettings(input: SettingsInput): Promise<ResolvedSettings> {
  const { resolved, problems } = await judgeSettings(input);
  if (problems.length > 0) {
    throw new AppError("usage", problems.join("\n"), { remedy: 'See "cloakbrowser-mcp --help"' });
  }
  return resolved;
}

/** As {@link resolveSettings}, for who wants to see the settings in spite of their problems. */
export async function judgeSettings(input: SettingsInput): Promise<JudgedSettings> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  const flags = input.flags ?? [];
  const file = await loadSettingsFile({ ...input, flags, file: undefined, problems });
  const sources: Sources = { ...input, flags, file, problems };
  for (const [key, option] of optionRows()) {
    const given = giveValue(key, option, sources);
    origins[key] = given?.origin ?? DEFAULT;
    values[key] = given?.verdict.ok ? given.verdict.value : option.default;
    if (given !== undefined && !given.verdict.ok) {
      problems.push(complaint(option, given, given.verdict.problem));
    }
  }
  const found = resolveUpstreamOptions(flags, input.env, file && { path: file.path, values: file.upstream });
  problems.push(...found.problems);
  const judged = judgeBrowserChoice(values["browserEngine"], found.upstream);
  problems.push(...judged.problems);
  const choice = chooseTransport(
    values["transport"],
    origins["transport"] ?? DEFAULT,
    flags,
    input.env,
    origins["httpSocket"] ?? DEFAULT,
  );
  values["transport"] = choice.transport;
  origins["transport"] = choice.origin;
  problems.push(...choice.problems);
  for (const [key, option] of optionRows()) {
    if (option.derive !== undefined && origins[key]?.kind === "default") values[key] = option.derive(values);
  }
  // The first loop has given every key of the table a value of its type and an origin.
  const rules = [judgeHttp, judgeCdp, judgePages].map((judge) =>
    judge(values as Settings, origins as Record<SettingKey, Origin>)
  );
  problems.push(...rules.flatMap((judgement) => judgement.problems));
  values["upstreamArgs"] = upstreamArguments(found.upstream);
  return {
    problems,
    resolved: {
      settings: deepFreeze(values) as Settings,
      origins: origins as Record<SettingKey, Origin>,
      upstream: found.upstream,
      notices: [
        ...found.notices,
        ...judged.notices,
        ...rules.flatMap((judgement) => judgement.notices),
        ...unknownVariables(input.env),
      ],
    },
  };
}

async function loadSettingsFile(sources: Sources): Promise<Sources["file"]> {
  const given = giveValue("settingsPath", OPTIONS.settingsPath, sources);
  if (given === undefined || !given.verdict.ok) return undefined;
  const path = String(given.verdict.value);
  const text = readNamedFile(path, given.origin, sources);
  if (text === undefined) return undefined;
  const { parseSettingsFile } = await import("./settings_file.ts");
  const parsed = parseSettingsFile(path, text);
  sources.problems.push(...parsed.problems);
  return { ...parsed.file, path };
}

/** Enough of a value to recognise it by in an error text. */
const QUOTED_CHARACTERS = 200;

function complaint(option: Option, given: Given, problem: string): string {
  const subject = option.secret ? "the value of" : `${quote(given)} for`;
  return `Cannot use ${subject} ${nameOrigin(given.origin)}: it ${problem}`;
}

/** JSON values stand as they are; texts in quotes. */
function quote(given: Given): string {
  const text = withoutPasswords(given.origin.kind === "file" ? given.written : JSON.stringify(given.written));
  return text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text;
}

/** A value that is refused may be an address with a password in it, and no address that a parser would take. */
function withoutPasswords(text: string): string {
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/+|["\s,=]|^)[^\s"@]*:[^\s"]*@/gi, "$1…@");
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
