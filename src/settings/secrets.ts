import { envName, secretFileNames } from "./option.ts";
import { optionRows } from "./option_table.ts";
import type { Settings } from "./settings.ts";

/** Values of all secret settings: what a redactor has to keep out of logs and error texts. */
export function secretValues(settings: Settings): (string | undefined)[] {
  return optionRows()
    .filter(([, option]) => option.secret)
    .flatMap(([key]) => settings[key])
    .filter((value) => typeof value === "string");
}

/** Names of the variables that carry secrets of ours, or name files that do: no child may inherit them. */
export function secretVariables(): string[] {
  return optionRows()
    .filter(([, option]) => option.secret)
    .flatMap(([key, option]) => [...option.env.map(envName), ...secretFileNames(key, option).env]);
}
