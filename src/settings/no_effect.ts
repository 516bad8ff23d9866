/**
 * Notices about options that were set where nothing reads them.
 */

import { optionRows, type SettingKey } from "./option_table.ts";
import type { Group } from "./option.ts";
import { nameOrigin, type Origin } from "./origin.ts";

export function keysOfGroup(group: Group): SettingKey[] {
  return optionRows().filter(([, option]) => option.group === group).map(([key]) => key);
}

/**
 * One sentence that names those of the keys that some source sets; none where none is set.
 *
 * @param why end of the sentence, with its leading blank or colon
 */
export function noteNoEffect(
  keys: readonly SettingKey[],
  origins: Readonly<Record<SettingKey, Origin>>,
  why: string,
): string[] {
  const names = keys.filter((key) => origins[key].kind !== "default").map((key) => nameOrigin(origins[key]));
  if (names.length === 0) return [];
  const subject = names.length === 1 ? `${names[0]} has` : `${names.join(", ")} have`;
  return [`${subject} no effect${why}`];
}
