/**
 * The effective settings: one frozen object that everything right of `settings` in the import order reads.
 */

import type { SettingsOf } from "./option.ts";
import type { OPTIONS, SettingKey } from "./option_table.ts";
import type { Origin } from "./origin.ts";

/** One `@playwright/mcp` flag to hand to the child. `values` is empty for switches. */
export interface UpstreamArgument {
  readonly flag: string;
  readonly values: readonly string[];
}

/** Keys and types come from the option table; `upstreamArgs` are the flags that only upstream understands. */
export type Settings = SettingsOf<typeof OPTIONS> & {
  readonly upstreamArgs: readonly UpstreamArgument[];
};

/** An upstream option that is in effect, from whichever source; `argument` says whether we pass it as a flag. */
export interface UpstreamSetting extends UpstreamArgument {
  readonly origin: Origin;
  readonly argument: boolean;
}

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingKey, Origin>>;
  /** Upstream options in effect, including those that upstream itself reads from its environment. */
  readonly upstream: readonly UpstreamSetting[];
  /** Things the user should know that are no errors, one sentence each; for the log at `warn`. */
  readonly notices: readonly string[];
}
