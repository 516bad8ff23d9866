/**
 * The `install` command: the download that otherwise waits for the first browser call.
 */

import { installBrowser } from "../../browser/install.ts";
import { checkForUpdate, type UpdateReport } from "../../browser/update_check.ts";
import { AppError } from "../../errors.ts";
import { listenForEnd, signalExitStatus } from "../../platform/signals.ts";
import type { ResolvedSettings } from "../../settings/settings.ts";
import { secretValues } from "../../settings/secrets.ts";
import { createRedactor } from "../../telemetry/redact.ts";
import type { InstallFlag } from "../commands.ts";
import { PROGRAM } from "../commands.ts";
import { createProgressDisplay } from "../progress_display.ts";
import { commandLog, type CommandOutput } from "./command_log.ts";

export interface InstallOutput extends CommandOutput {
  /** Width of the terminal that standard error is; left out where it is none. */
  readonly progressColumns?: () => number;
}

export interface InstallRequest {
  readonly install?: readonly InstallFlag[];
  readonly json?: boolean;
}

/**
 * Prints progress on standard error and the path of the executable on standard output.
 *
 * @returns the exit status: 0, or that of a signal, after which nothing is left of the download
 * @throws {AppError} `browser_unavailable`, `locked` or `usage`
 */
export async function install(
  resolved: ResolvedSettings,
  output: InstallOutput,
  { install: flags = [], json = false }: InstallRequest = {},
  installer: typeof installBrowser = installBrowser,
): Promise<number> {
  const { settings } = resolved;
  const log = commandLog(resolved, output);
  if (flags.includes("--check")) {
    const report = await checkForUpdate(settings, log);
    output.stdout(json ? `${JSON.stringify(report, null, 2)}\n` : `${updateText(report)}\n`);
    return 0;
  }
  const redact = createRedactor(secretValues(settings));
  const quiet = flags.includes("--quiet");
  const display = createProgressDisplay({
    write: quiet ? () => {} : output.stderr,
    columns: output.progressColumns,
  });
  const interruption = new AbortController();
  let signal = "";
  using signals = listenForEnd((status) => Deno.exit(status));
  signals.first.then((name) => {
    signal = name;
    interruption.abort(new AppError("internal", "The installation was interrupted"));
  });

  let shown = "";
  try {
    const outcome = await installer(settings, log, ({ message, percent }) => {
      // The bytes tell it better.
      if (percent === undefined && message !== shown) display.message(redact(message));
      shown = message;
    }, { force: flags.includes("--force"), onBytes: display.bytes, signal: interruption.signal });
    if (!outcome.downloaded) display.message("Nothing to download: the browser is there");
    output.stdout(`${outcome.executablePath}\n`);
    return 0;
  } catch (error) {
    display.end();
    if (!interruption.signal.aborted) throw error;
    output.stderr(`${PROGRAM}: Interrupted by ${signal}: nothing was installed\n`);
    return signalExitStatus(signal);
  }
}

export function updateText({ installed, available, updateAvailable }: UpdateReport): string {
  if (installed === null) {
    return `CloakBrowser is not installed; "${PROGRAM} install" brings ${available}`;
  }
  return updateAvailable
    ? `CloakBrowser ${installed} is installed; "${PROGRAM} install --force" brings ${available}`
    : `CloakBrowser ${installed} is installed, and there is no newer one`;
}
