import { type JudgedSettings, judgeSettings, resolveSettings } from "../../src/settings/resolve_settings.ts";
import type { ResolvedSettings } from "../../src/settings/settings.ts";
import type { FlagOccurrence } from "../../src/settings/upstream_options.ts";
import type { SettingsInput } from "../../src/settings/value_sources.ts";
import { AppError } from "../../src/errors.ts";

export interface Situation {
  readonly flags?: readonly FlagOccurrence[];
  readonly env?: Readonly<Record<string, string>>;
  /** Text of files by absolute path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Working directory of every situation. */
export const CWD = "/srv/site/here";

/** Settings of a made-up process that stands in `/srv/site/here`. */
export async function settle(situation: Situation): Promise<ResolvedSettings> {
  return await resolveSettings(sourcesOf(situation));
}

/** As `settle`, for what becomes of settings that are refused. */
export async function judge(situation: Situation): Promise<JudgedSettings> {
  return await judgeSettings(sourcesOf(situation));
}

function sourcesOf({ flags = [], env = {}, files = {} }: Situation): SettingsInput {
  return {
    flags,
    env,
    cwd: CWD,
    readTextFile: (path) => {
      const text = files[path];
      if (text === undefined) throw new Deno.errors.NotFound(`open '${path}'`);
      return text;
    },
  };
}

/** The problems that a situation is refused for, one per line of the error. */
export async function refusals(situation: Situation): Promise<string[]> {
  try {
    await settle(situation);
  } catch (error) {
    if (error instanceof AppError && error.code === "usage") return error.message.split("\n");
    throw error;
  }
  return [];
}

/** A situation whose only source is a settings file. */
export function inFile(settings: unknown): Situation {
  const text = typeof settings === "string" ? settings : JSON.stringify(settings);
  return {
    env: { CLOAK_PLAYWRIGHT_MCP_SETTINGS: "/etc/mcp/settings.jsonc" },
    files: { "/etc/mcp/settings.jsonc": text },
  };
}
