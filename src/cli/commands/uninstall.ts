import { uninstallBrowsers } from "../../browser/uninstall.ts";
import type { ResolvedSettings } from "../../settings/settings.ts";
import { inBytes } from "../progress_display.ts";
import { commandLog, type CommandOutput } from "./command_log.ts";

/**
 * The `uninstall` command: prints what was removed.
 *
 * @throws {AppError} `locked`
 */
export async function uninstall(
  resolved: ResolvedSettings,
  output: CommandOutput,
  uninstaller: typeof uninstallBrowsers = uninstallBrowsers,
): Promise<void> {
  const { browsers, bytes, cacheDir } = await uninstaller(resolved.settings, commandLog(resolved, output));
  output.stdout(
    browsers.length === 0
      ? `Nothing to remove in ${cacheDir}\n`
      : `Removed ${browsers.join(", ")} from ${cacheDir}: ${inBytes(bytes)}\n`,
  );
}
