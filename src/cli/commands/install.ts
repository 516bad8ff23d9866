/**
 * The `install` command: the download that otherwise waits for the first browser call.
 */

import { installBrowser } from "../../browser/install.ts";
import type { ResolvedSettings } from "../../settings/settings.ts";
import { secretValues } from "../../settings/secrets.ts";
import { createLogger } from "../../telemetry/log.ts";
import { createRedactor } from "../../telemetry/redact.ts";

export interface InstallOutput {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/**
 * Prints progress on standard error and the path of the executable on standard output.
 *
 * @throws {AppError} `browser_unavailable` or `usage`
 */
export async function install(
  { settings, origins }: ResolvedSettings,
  output: InstallOutput,
  installer: typeof installBrowser = installBrowser,
): Promise<void> {
  const redact = createRedactor(secretValues(settings));
  const log = createLogger({
    // The steps of the download are shown as progress; as warnings of the log they would appear twice.
    level: origins.logLevel.kind === "default" ? "error" : settings.logLevel,
    format: settings.logFormat,
    write: (line) => output.stderr(`${redact(line)}\n`),
  });
  let shown = "";
  const outcome = await installer(settings, log, ({ message }) => {
    if (message !== shown) output.stderr(`${redact(message)}\n`);
    shown = message;
  });
  if (!outcome.downloaded) output.stderr("Nothing to download: the browser is there\n");
  output.stdout(`${outcome.executablePath}\n`);
}
