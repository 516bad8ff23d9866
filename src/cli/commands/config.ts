/**
 * The `config` command: which settings are in effect and where each came from.
 */

import { optionRows } from "../../settings/option_table.ts";
import { describeOrigin, type Origin } from "../../settings/origin.ts";
import type { ResolvedSettings } from "../../settings/settings.ts";
import { upstreamFlag } from "../../settings/upstream_flags.ts";

const HIDDEN = "<hidden>";

interface Row {
  readonly name: string;
  /** JSON value, secrets replaced. */
  readonly value: unknown;
  readonly origin: Origin;
}

export function configText(resolved: ResolvedSettings, json: boolean): string {
  const settings = settingRows(resolved);
  const upstream = upstreamRows(resolved);
  if (json) {
    const report = {
      settings: Object.fromEntries(
        settings.map(({ name, value, origin }) => [name, { value, from: describeOrigin(origin) }]),
      ),
      upstream: upstream.map(({ name, value, origin }) => ({
        flag: name,
        values: value,
        from: describeOrigin(origin),
      })),
      notices: resolved.notices,
    };
    return `${JSON.stringify(report, null, 2)}\n`;
  }
  const lines = [...table(settings, " = ")];
  if (upstream.length > 0) lines.push("", "Playwright MCP:", ...table(upstream, " "));
  if (resolved.notices.length > 0) lines.push("", ...resolved.notices.map((notice) => `Note: ${notice}`));
  return `${lines.join("\n")}\n`;
}

function settingRows({ settings, origins }: ResolvedSettings): Row[] {
  return optionRows().map(([key, option]) => {
    const value = settings[key];
    const isSet = value !== undefined && !(Array.isArray(value) && value.length === 0);
    const shown = option.secret && isSet ? HIDDEN : withoutUserInfo(value);
    return { name: key, value: shown ?? null, origin: origins[key] };
  });
}

function upstreamRows({ upstream }: ResolvedSettings): Row[] {
  return upstream.map(({ flag, values, origin }) => ({
    name: flag,
    value: upstreamFlag(flag)?.secret ? values.map(() => HIDDEN) : values.map(withoutUserInfo),
    origin,
  }));
}

/** Addresses may carry a name and a password before the host. */
function withoutUserInfo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUserInfo);
  return typeof value === "string" ? value.replace(/(:\/\/)[^/?#\s]*@/g, `$1${HIDDEN}@`) : value;
}

function table(rows: readonly Row[], between: string): string[] {
  const cells = rows.map(({ name, value, origin }) =>
    [
      `${name}${between}${inText(value)}`.trimEnd(),
      describeOrigin(origin),
    ] as const
  );
  const width = Math.min(WIDEST_CELL, Math.max(0, ...cells.map(([left]) => left.length)));
  return cells.map(([left, right]) => `${left.padEnd(width)}  (${right})`);
}

/** A long value pushes only its own origin to the right. */
const WIDEST_CELL = 60;

function inText(value: unknown): string {
  if (value === null) return "unset";
  if (Array.isArray(value)) {
    return value.length === 1 && typeof value[0] === "string"
      ? value[0]
      : value.length === 0
      ? ""
      : JSON.stringify(value);
  }
  return String(value);
}
