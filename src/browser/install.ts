import type { Logger } from "../telemetry/log.ts";
import type { EnsureProgress } from "./browser_plan.ts";
import type { BrowserSettings } from "./browser_settings.ts";
import {
  type CloakBrowserPackage,
  createCloakBrowserPackage,
  type EnsureOptions,
} from "./cloakbrowser_package.ts";
import { downloadCloakBrowser } from "./download.ts";
import { reinstallBrowser } from "./reinstall.ts";

export interface InstallOutcome {
  readonly executablePath: string;
  /** False when it was there already, or when a browser of the user's own makes a download needless. */
  readonly downloaded: boolean;
}

export interface InstallOptions extends EnsureOptions {
  /** Downloads also what is there, and the newest release. */
  readonly force?: boolean;
}

/**
 * Downloads CloakBrowser ahead of the first browser call, whatever the engine is: that is what the command is for.
 * Only a browser named by `--binary-path` makes it needless.
 *
 * @throws {AppError} `browser_unavailable`, `locked` or `usage`
 */
export async function installBrowser(
  settings: BrowserSettings,
  log: Logger,
  onProgress: (progress: EnsureProgress) => void,
  { force, ...options }: InstallOptions = {},
  cloakbrowser: CloakBrowserPackage = createCloakBrowserPackage(settings, log),
): Promise<InstallOutcome> {
  if (settings.binaryPath !== undefined) return { executablePath: settings.binaryPath, downloaded: false };
  if (force === true) {
    const executablePath = await reinstallBrowser(settings, log, onProgress, options);
    return { executablePath, downloaded: true };
  }
  let downloaded = false;
  const executablePath = await downloadCloakBrowser(cloakbrowser, settings, log, (progress) => {
    if (/^Extracting/.test(progress.message)) downloaded = true;
    onProgress(progress);
  }, options);
  return { executablePath, downloaded };
}
