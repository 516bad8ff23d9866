/** Rules for pages and their downloads hold in the upstream that we bring; another one does not know them. */

import type { Judgement } from "./http_rules.ts";
import type { SettingKey } from "./option_table.ts";
import { nameOrigin, type Origin } from "./origin.ts";
import type { Settings } from "./settings.ts";

const KEYS = ["maxPages", "downloads", "downloadMaxBytes"] as const satisfies readonly SettingKey[];

/** A guard-rail that does not hold is refused: who set it relies on it. */
export function judgePages(
  { upstreamCommand }: Pick<Settings, "upstreamCommand">,
  origins: Readonly<Record<SettingKey, Origin>>,
): Judgement {
  const given = KEYS.filter((key) => origins[key].kind !== "default").map((key) => nameOrigin(origins[key]));
  if (upstreamCommand === undefined || given.length === 0) return { problems: [], notices: [] };
  const command = nameOrigin(origins.upstreamCommand);
  return {
    problems: [
      `Cannot use ${given.join(", ")} together with ${command}: another upstream does not know of it. ` +
      "Leave one of them out",
    ],
    notices: [],
  };
}
