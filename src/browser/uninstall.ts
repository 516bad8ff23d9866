/**
 * Removes what was downloaded, and nothing else: a licence key, and whatever else lies in the cache directory, stays.
 */

import { dirname, join } from "node:path";
import { AppError } from "../errors.ts";
import { describeFileFault } from "../settings/file_fault.ts";
import type { Logger } from "../telemetry/log.ts";
import type { BrowserSettings } from "./browser_settings.ts";
import { refuseWhileRunning } from "./browser_users.ts";
import { type CloakBrowserPackage, createCloakBrowserPackage } from "./cloakbrowser_package.ts";
import { BROWSER_DIRECTORY, tryLockDownloads } from "./download_lock.ts";

/** What the package notes about its browsers; without them the notes are wrong. */
const NOTE = /^(?:latest_(?:pro_)?version.*|\.last_update_check|\.last_pro_version_.*|\.welcome_shown)$/;

export interface UninstallOutcome {
  readonly cacheDir: string;
  /** Names of the removed browsers, such as `chromium-146.0.7680.177.5`. */
  readonly browsers: readonly string[];
  /** Bytes on disk that their files had. */
  readonly bytes: number;
}

/** @throws {AppError} `locked` while an installation is under way or a browser runs */
export async function uninstallBrowsers(
  settings: BrowserSettings,
  log: Logger,
  cloakbrowser: CloakBrowserPackage = createCloakBrowserPackage(settings, log),
): Promise<UninstallOutcome> {
  const cacheDir = dirname((await cloakbrowser.info()).cacheDir);
  const isThere = await Deno.stat(cacheDir).then(({ isDirectory }) => isDirectory, () => false);
  if (!isThere) return { cacheDir, browsers: [], bytes: 0 };
  try {
    return await removeFrom(cacheDir);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("usage", `Cannot uninstall from "${cacheDir}": ${describeFileFault(cause)}`, {
      remedy: "Correct the permissions of what lies there, or run this as the user who installed it",
      cause,
    });
  }
}

async function removeFrom(cacheDir: string): Promise<UninstallOutcome> {
  using lock = await tryLockDownloads(cacheDir);
  if (lock === undefined) {
    throw new AppError("locked", `Cannot uninstall from "${cacheDir}": an installation is under way there`, {
      remedy: "Wait for it or end it, then try again",
    });
  }
  const entries = await Array.fromAsync(Deno.readDir(cacheDir));
  const browsers = entries.filter(({ name, isDirectory }) => isDirectory && BROWSER_DIRECTORY.test(name))
    .map(({ name }) => name).sort();
  for (const name of browsers) await refuseWhileRunning(join(cacheDir, name), "remove");
  let bytes = 0;
  for (const name of browsers) {
    bytes += await sizeOf(join(cacheDir, name));
    lock.unpackingInto(name); // cut short, what is left is no browser
    await Deno.remove(join(cacheDir, name), { recursive: true });
    lock.finished();
  }
  for (const { name, isFile } of entries) {
    if (isFile && NOTE.test(name)) await Deno.remove(join(cacheDir, name));
  }
  return { cacheDir, browsers, bytes };
}

async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = join(directory, name);
    bytes += isDirectory ? await sizeOf(path) : (await Deno.lstat(path)).size;
  }
  return bytes;
}
