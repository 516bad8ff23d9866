/**
 * The `license` command: `login`, `logout` and `info`.
 */

import { createLicense, type License, type LicenseReport } from "../../browser/license.ts";
import { readSecret } from "../../platform/secret_input.ts";
import type { ResolvedSettings } from "../../settings/settings.ts";
import type { LicenseAction } from "../commands.ts";
import { commandLog, type CommandOutput } from "./command_log.ts";

/** Where a key costs nothing. */
const FREE_KEY = "https://cloakbrowser.dev/free";

/** @throws {AppError} `usage`, or `browser_unavailable` for a key that cannot be checked or does not serve */
export async function license(
  resolved: ResolvedSettings,
  output: CommandOutput,
  action: LicenseAction,
  json: boolean,
  saved: License = createLicense(resolved.settings, commandLog(resolved, output)),
  readKey: typeof readSecret = readSecret,
): Promise<void> {
  switch (action) {
    case "login": {
      let asked = false;
      const key = await readKey(() => {
        asked = true;
        output.stderr(`Licence key (a free one: ${FREE_KEY}), not shown: `);
      });
      if (asked) output.stderr("\n");
      const plan = await saved.login(key);
      output.stdout(`Saved a licence key of the plan "${plan}"\n`);
      return;
    }
    case "logout":
      output.stdout(await saved.logout() ? "Removed the saved licence key\n" : "No licence key was saved\n");
      return;
    case "info": {
      const report = await saved.info();
      output.stdout(json ? `${JSON.stringify(report, null, 2)}\n` : licenseText(report));
    }
  }
}

export function licenseText({ source, file, state, plan, expires, seats }: LicenseReport): string {
  if (source === "none") return `No licence key: CloakBrowser runs its free binary\n`;
  const from = source === "file" ? file : "the settings";
  const lines = [`Licence key: ${state}, from ${from}`];
  if (state === "unknown") lines[0] += "; the licence server does not answer";
  if (plan !== null) lines.push(`Plan: ${plan}${expires === null ? "" : `, until ${expires}`}`);
  if (seats !== null) {
    const { active, limit, reason } = seats;
    const used = active === null ? `unknown${reason === null ? "" : ` (${reason})`}` : `${active} in use`;
    lines.push(`Sessions: ${used}${active === null || limit === null ? "" : ` of ${limit}`}`);
  }
  return `${lines.join("\n")}\n`;
}
