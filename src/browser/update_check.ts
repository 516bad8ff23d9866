/**
 * Whether a newer CloakBrowser is to be had. Asks, and installs nothing.
 */

import { dirname } from "node:path";
import { AppError } from "../errors.ts";
import type { Logger } from "../telemetry/log.ts";
import type { BrowserSettings } from "./browser_settings.ts";
import { type CloakBrowserService, createCloakBrowserPackage } from "./cloakbrowser_package.ts";
import { readLicenseFile } from "./license_key.ts";

export interface UpdateReport {
  /** Version that is here and would run; null where there is none. */
  readonly installed: string | null;
  /** Version that an installation would bring. */
  readonly available: string;
  readonly updateAvailable: boolean;
}

/**
 * A version that is set, or a mirror, leaves nothing to ask: the one is the newest, and the other has no list.
 *
 * @throws {AppError} `browser_unavailable` where nobody answers or the licence does not serve
 */
export async function checkForUpdate(
  settings: BrowserSettings,
  log: Logger,
  cloakbrowser: CloakBrowserService = createCloakBrowserPackage(settings, log),
): Promise<UpdateReport> {
  const info = await cloakbrowser.info();
  const isMirrored = settings.downloadUrl !== undefined;
  const key = isMirrored ? undefined : settings.licenseKey ?? await readLicenseFile(dirname(info.cacheDir));
  const tier = key === undefined ? "free" : "pro";
  const installed = info.installed && info.tier === tier ? info.version : null;
  let available = settings.browserVersion ?? info.version;
  if (settings.browserVersion === undefined && !isMirrored) {
    const newest = await cloakbrowser.newestVersion(key);
    if (newest === undefined) throw noAnswer();
    if (key !== undefined || isNewer(newest, available)) available = newest;
  }
  return { installed, available, updateAvailable: installed === null || isNewer(available, installed) };
}

function noAnswer(): AppError {
  return new AppError(
    "browser_unavailable",
    "Cannot tell whether there is a newer CloakBrowser: the host that knows does not answer",
    { remedy: "Check the network, and behind a proxy HTTPS_PROXY and NO_PROXY" },
  );
}

/** Compares versions such as 146.0.7680.177.5, number by number. */
export function isNewer(version: string, than: string): boolean {
  const left = version.split(".").map(Number);
  const right = than.split(".").map(Number);
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
