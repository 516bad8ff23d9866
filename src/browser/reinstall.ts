/**
 * A forced installation: downloads the browser anew, whatever is there, and puts it in the place of the old one only
 * when it is verified and whole. It works in a directory of its own inside the cache, so nothing that fails on the
 * way is seen by anyone.
 */

import { dirname, join, relative } from "node:path";
import { AppError, messageOf } from "../errors.ts";
import type { Logger } from "../telemetry/log.ts";
import type { BinaryInfo, EnsureProgress } from "./browser_plan.ts";
import type { BrowserSettings } from "./browser_settings.ts";
import { refuseWhileRunning } from "./browser_users.ts";
import { createCloakBrowserPackage, type EnsureOptions } from "./cloakbrowser_package.ts";
import { downloadCloakBrowser } from "./download.ts";
import { BROWSER_DIRECTORY, lockDownloads, REPLACED_DIRECTORY, STAGING_DIRECTORY } from "./download_lock.ts";
import { readLicenseFile } from "./license_key.ts";

/** What tells the package which of several versions is the newest one here. */
const VERSION_MARKER = /^latest_(pro_)?version/;

/**
 * Path of the new executable. Takes the newest release, unless a version or a mirror is set.
 *
 * @throws {AppError} `browser_unavailable`; `locked` while the browser to be replaced runs; `usage` for a bad version
 */
export async function reinstallBrowser(
  settings: BrowserSettings,
  log: Logger,
  onProgress: (progress: EnsureProgress) => void,
  options: EnsureOptions = {},
): Promise<string> {
  const present = await createCloakBrowserPackage(settings, log).info();
  const cacheDir = dirname(present.cacheDir);
  await refuseWhileRunning(present.cacheDir, "replace");
  using lock = await lockDownloads(cacheDir, () => {
    onProgress({ message: "Waiting for another process that downloads CloakBrowser" });
  });
  if (lock === undefined) {
    throw new AppError("browser_unavailable", `Cannot write to the cache directory "${cacheDir}"`, {
      remedy: "Name another one with --cache-dir",
    });
  }
  const staging = join(cacheDir, STAGING_DIRECTORY);
  try {
    const staged = await stagedSettings(settings, present, cacheDir, staging);
    const path = await downloadCloakBrowser(
      createCloakBrowserPackage(staged, log),
      staged,
      log,
      onProgress,
      {
        ...options,
        newest: staged.licenseKey === undefined && settings.browserVersion === undefined &&
          settings.downloadUrl === undefined,
      },
    );
    options.signal?.throwIfAborted();
    await refuseWhileRunning(present.cacheDir, "replace");
    replaceAll(staging, cacheDir);
    return join(cacheDir, relative(staging, path));
  } finally {
    for (const name of [STAGING_DIRECTORY, REPLACED_DIRECTORY]) clear(join(cacheDir, name), log);
  }
}

/** A new cache has no key and no memory of what ran before. */
async function stagedSettings(
  settings: BrowserSettings,
  present: BinaryInfo,
  cacheDir: string,
  staging: string,
): Promise<BrowserSettings> {
  const mirrored = settings.downloadUrl !== undefined;
  const licenseKey = mirrored ? undefined : settings.licenseKey ?? await readLicenseFile(cacheDir);
  return {
    ...settings,
    autoUpdate: false,
    cacheDir: staging,
    licenseKey,
    // A key decides by itself what is newest; otherwise never go below what is here.
    browserVersion: settings.browserVersion ?? (licenseKey === undefined ? present.version : undefined),
  };
}

/** Renames only, one after the other without a pause: whatever moment the process dies at, one browser is there. */
function replaceAll(staging: string, cacheDir: string): void {
  const replaced = join(cacheDir, REPLACED_DIRECTORY);
  Deno.mkdirSync(replaced, { recursive: true });
  for (const { name } of [...Deno.readDirSync(staging)]) {
    const target = join(cacheDir, name);
    if (BROWSER_DIRECTORY.test(name)) {
      renameIfThere(target, join(replaced, name));
      Deno.renameSync(join(staging, name), target);
    } else if (VERSION_MARKER.test(name)) Deno.renameSync(join(staging, name), target);
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    Deno.renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function clear(directory: string, log: Logger): void {
  try {
    Deno.removeSync(directory, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    log.warn("cannot remove a directory of the installation", { directory, cause: messageOf(error) });
  }
}
