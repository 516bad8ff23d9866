/**
 * The whole option table. A new group of options is a file in `options/` and one line here.
 */

import type { Option } from "./option.ts";
import { BROWSER_OPTIONS } from "./options/browser.ts";
import { CDP_OPTIONS } from "./options/cdp.ts";
import { GENERAL_OPTIONS } from "./options/general.ts";
import { HTTP_OPTIONS } from "./options/http.ts";
import { LIFE_OPTIONS } from "./options/life.ts";
import { LOGGING_OPTIONS } from "./options/logging.ts";
import { UPSTREAM_OPTIONS } from "./options/upstream.ts";

export const OPTIONS = {
  ...GENERAL_OPTIONS,
  ...HTTP_OPTIONS,
  ...BROWSER_OPTIONS,
  ...CDP_OPTIONS,
  ...UPSTREAM_OPTIONS,
  ...LIFE_OPTIONS,
  ...LOGGING_OPTIONS,
} as const;

export type SettingKey = keyof typeof OPTIONS;

/** Rows in table order, without their literal types: for code that treats all of them alike. */
export function optionRows(): readonly (readonly [SettingKey, Option])[] {
  return Object.entries(OPTIONS) as [SettingKey, Option][];
}
