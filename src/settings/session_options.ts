/**
 * Options that a client sets for its own session, in the metadata of `initialize`. Which ones may be set so is said by
 * the option tables (`scope`), and by the operator (`--session-options-allow`).
 */

import { resolve } from "node:path";
import { AppError } from "../errors.ts";
import { parseJsonValue, type Verdict } from "./grammar.ts";
import { camelCase, type Option } from "./option.ts";
import { optionRows, type SettingKey } from "./option_table.ts";
import type { ResolvedSettings, Settings, UpstreamArgument } from "./settings.ts";
import { UPSTREAM_FLAGS, type UpstreamFlag, upstreamFlag } from "./upstream_flags.ts";
import { formProblem } from "./upstream_options.ts";

/** Fields that no operator can allow, and why. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["extensionToken", "it comes from the environment of the server alone"],
]);

/** Names in `_meta` that the options may stand under; a field of a later one wins. */
export const SESSION_META_KEYS = ["io.github.swimmwatch/cloakbrowser-mcp", "cloakbrowser"] as const;

/** What one client asked for, checked. */
export interface SessionOptions {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly upstream: readonly UpstreamArgument[];
  /** Fields that mean nothing here; they do no harm, but who wrote them should learn of it. */
  readonly ignored: readonly string[];
}

/** For sessions that ask for nothing. */
export const NO_SESSION_OPTIONS: SessionOptions = { settings: {}, upstream: [], ignored: [] };

/** Whether a session with these options is like any other. */
export function isEmpty({ settings, upstream }: SessionOptions): boolean {
  return Object.keys(settings).length === 0 && upstream.length === 0;
}

/** What a bridge is opened with. */
export interface Configuration {
  readonly settings: Settings;
  readonly origins: ResolvedSettings["origins"];
  readonly env: Readonly<Record<string, string>>;
}

/** One field of the metadata. */
type Field = { readonly key: SettingKey; readonly option: Option } | { readonly row: UpstreamFlag };

/** Every field that a session may set, by name. */
function sessionFields(): Map<string, Field> {
  const ours = optionRows().filter(([, option]) => option.scope === "session")
    .map(([key, option]): [string, Field] => [key, { key, option }]);
  const upstream = UPSTREAM_FLAGS.filter((row) => row.scope === "session")
    .map((row): [string, Field] => [
      row.sessionField ?? camelCase(row.flag.slice("--".length)),
      { row },
    ]);
  return new Map([...ours, ...upstream]);
}

/** Names of all fields that a session may set. */
export function sessionOptionKeys(): string[] {
  return [...sessionFields().keys()];
}

/**
 * @param params of an `initialize` request, not yet checked
 * @param allowed fields that the operator lets sessions set; undefined for all
 * @param cwd absolute directory that relative paths start from
 * @throws {AppError} `usage`, naming each field that cannot be used
 */
export function readSessionOptions(
  params: unknown,
  allowed: readonly string[] | undefined,
  cwd: string,
): SessionOptions {
  const given = metadata(params);
  const fields = sessionFields();
  const settings: Record<string, unknown> = {};
  const upstream: UpstreamArgument[] = [];
  const problems: string[] = [];
  for (const [name, written] of Object.entries(given)) {
    const field = fields.get(name);
    const refused = REFUSED.get(name);
    if (refused !== undefined) problems.push(`${name} may not be set by a session: ${refused}`);
    if (field === undefined) continue;
    if (allowed !== undefined && !allowed.includes(name)) {
      problems.push(`${name} may not be set by a session: ${permission(allowed)}`);
      continue;
    }
    const verdict = "row" in field
      ? parseUpstreamValue(field.row, written, cwd)
      : parseJsonValue(field.option, written, cwd);
    if (!verdict.ok) problems.push(`${name} ${verdict.problem}`);
    else if ("row" in field) upstream.push({ flag: field.row.flag, values: valuesOf(verdict.value) });
    else settings[field.key] = verdict.value;
  }
  if ("proxyBypass" in given && !("proxyServer" in given)) problems.push("proxyBypass requires proxyServer");
  if (problems.length > 0) throw new AppError("usage", problems.join("; "));
  return { settings, upstream, ignored: Object.keys(given).filter((name) => !fields.has(name)) };
}

/**
 * Lays a session's options over the configuration of the process.
 *
 * @throws {AppError} `usage` where they do not go together
 */
export function withSessionOptions(base: Configuration, options: SessionOptions): Configuration {
  let { upstreamArgs } = base.settings;
  const env = { ...base.env };
  const forget = (flag: string): void => {
    upstreamArgs = upstreamArgs.filter((argument) => argument.flag !== flag);
    const row = upstreamFlag(flag);
    if (row?.env === undefined) return;
    // A configuration file of upstream may switch on what the session must not have.
    if (row.arity === "switch") env[row.env] = "false";
    else delete env[row.env];
  };
  for (const { flag } of options.upstream) for (const each of [flag, ...overriddenBy(flag)]) forget(each);
  // In upstream its flags win over a context option; between a session and the process it is the session that does.
  for (const name of Object.keys(contextOptionsOf(options))) {
    const flag = CONTEXT_FLAGS.get(name);
    if (flag !== undefined) forget(flag);
  }
  for (const argument of options.upstream) {
    if (isOff(argument)) continue;
    const row = upstreamFlag(argument.flag);
    // Every user of the machine can read a command line.
    if (row?.secret && row.env !== undefined) env[row.env] = argument.values.join(row.separator ?? ",");
    else upstreamArgs = [...upstreamArgs, argument];
  }
  const origins = Object.fromEntries(
    Object.keys(options.settings).map((key) => [key, { kind: "session" as const, key }]),
  );
  return {
    settings: {
      ...base.settings,
      ...options.settings,
      ...joinObjects(base.settings, options.settings),
      upstreamArgs,
    },
    origins: { ...base.origins, ...origins },
    env,
  };
}

/** A switch that the session does not want, though the process may. */
function isOff({ flag, values }: UpstreamArgument): boolean {
  return upstreamFlag(flag)?.arity === "switch" && values.length > 0;
}

/**
 * Options that are objects: the session's members over those of the process.
 *
 * @throws {AppError} `usage` where they do not go together
 */
function joinObjects(base: Settings, given: SessionOptions["settings"]): Record<string, unknown> {
  const joined: Record<string, unknown> = {};
  for (const [key, option] of optionRows()) {
    const [under, over] = [base[key], given[key]];
    if (option.type !== "object" || !isRecord(over)) continue;
    const both = { ...isRecord(under) ? under : {}, ...over };
    const problem = option.validate(both);
    if (problem !== undefined) throw new AppError("usage", `${key} ${problem}`);
    joined[key] = both;
  }
  return joined;
}

/** Flags of upstream that set a context option too. */
const CONTEXT_FLAGS: ReadonlyMap<string, string> = new Map([
  ["userAgent", "--user-agent"],
  ["viewport", "--viewport-size"],
  ["permissions", "--grant-permissions"],
  ["ignoreHTTPSErrors", "--ignore-https-errors"],
]);

function contextOptionsOf({ settings }: SessionOptions): Readonly<Record<string, unknown>> {
  const given = settings["contextOptions" satisfies SettingKey];
  return isRecord(given) ? given : {};
}

function overriddenBy(flag: string): readonly string[] {
  return upstreamFlag(flag)?.overrides ?? [];
}

function metadata(params: unknown): Readonly<Record<string, unknown>> {
  const meta = isRecord(params) ? params["_meta"] : undefined;
  if (!isRecord(meta)) return {};
  const merged: Record<string, unknown> = {};
  for (const key of SESSION_META_KEYS) {
    const given = meta[key];
    if (given === undefined) continue;
    if (!isRecord(given)) throw new AppError("usage", `${key} initialize metadata must be an object`);
    Object.assign(merged, given);
  }
  return merged;
}

/** A switch that is on has no value. */
function valuesOf(value: unknown): string[] {
  return value === true ? [] : [String(value)];
}

function parseUpstreamValue(row: UpstreamFlag, value: unknown, cwd: string): Verdict<string | boolean> {
  if (row.arity === "switch") {
    return typeof value === "boolean"
      ? { ok: true, value }
      : { ok: false, problem: "must be true or false, without quotes" };
  }
  const text = row.form === "number" && typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.trim() === "") {
    return { ok: false, problem: "must be a non-empty string" };
  }
  const problem = formProblem(row, text.trim());
  if (problem !== undefined) return { ok: false, problem };
  return { ok: true, value: row.path === undefined ? text.trim() : resolve(cwd, text.trim()) };
}

function permission(allowed: readonly string[]): string {
  return allowed.length === 0
    ? "this server allows no session options"
    : `this server allows only ${allowed.join(", ")}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
