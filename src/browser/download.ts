/**
 * Makes sure that CloakBrowser is on this machine, and tells on the way how far that is.
 */

import { dirname } from "node:path";
import { AppError, messageOf } from "../errors.ts";
import { orAborted } from "../platform/deadline.ts";
import type { Logger } from "../telemetry/log.ts";
import type { BinaryInfo, EnsureProgress } from "./browser_plan.ts";
import type { CloakBrowserPackage, EnsureOptions, PackageLine } from "./cloakbrowser_package.ts";
import { type DownloadAttempt, downloadError } from "./download_failure.ts";
import { type DownloadLock, hasUnfinishedDownload, lockDownloads } from "./download_lock.ts";
import { readLicenseFile } from "./license_key.ts";
import type { BrowserSettings } from "./browser_settings.ts";
import { executableArchitecture } from "./executable_architecture.ts";

export type DownloadSettings = Pick<BrowserSettings, "licenseKey" | "autoUpdate">;

/**
 * Path of the CloakBrowser executable, downloaded first where it is not there.
 *
 * @throws {AppError} `browser_unavailable`, with the package's error as its cause; `usage` for a bad version
 */
export async function downloadCloakBrowser(
  cloakbrowser: CloakBrowserPackage,
  settings: DownloadSettings,
  log: Logger,
  onProgress: (progress: EnsureProgress) => void,
  options: EnsureOptions = {},
): Promise<string> {
  const info = await planned(cloakbrowser);
  const hosts = new Set<string>();
  let lock: DownloadLock | undefined;
  try {
    if (await mayDownload(info, settings)) {
      lock = await lockDownloads(dirname(info.cacheDir), () => {
        const message = "Waiting for another process that downloads CloakBrowser";
        log.warn(message);
        onProgress({ message });
      });
    }
    let unpacks = false;
    const ensured = cloakbrowser.ensure((line) => {
      const host = hostOf(line.text);
      if (host !== undefined) {
        hosts.add(host);
        lock?.downloading();
      }
      const directory = /^Extracting to (.+)$/.exec(line.text)?.[1];
      if (directory !== undefined) {
        unpacks = true;
        lock?.unpackingInto(directory);
      }
      if (line.isMessage) onProgress(progressOf(line.text));
      logLine(log, line);
    }, options);
    // Unpacking cannot be stopped, only left.
    const path = await (options.signal === undefined ? ensured : orAborted(ensured, options.signal));
    await mustNotBeEmpty(path);
    if (unpacks) await mustRunHere(path);
    lock?.finished();
    return path;
  } catch (cause) {
    discard(lock, log);
    if (cause instanceof AppError) throw cause;
    const attempt: DownloadAttempt = { version: info.version, platform: info.platform, hosts: [...hosts] };
    throw downloadError(attempt, cause);
  } finally {
    lock?.[Symbol.dispose]();
  }
}

/** @throws {AppError} `browser_unavailable` on a platform without CloakBrowser */
async function planned(cloakbrowser: CloakBrowserPackage): Promise<BinaryInfo> {
  try {
    return await cloakbrowser.info();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw downloadError(
      { version: undefined, platform: `${Deno.build.os} ${Deno.build.arch}`, hosts: [] },
      cause,
    );
  }
}

/** A free binary that is whole is used as it is; with a key or with updates on, only the package knows. */
async function mayDownload(info: BinaryInfo, settings: DownloadSettings): Promise<boolean> {
  if (!info.installed || settings.autoUpdate || settings.licenseKey !== undefined) return true;
  const cacheDir = dirname(info.cacheDir);
  return await hasUnfinishedDownload(cacheDir) || await readLicenseFile(cacheDir) !== undefined;
}

function discard(lock: DownloadLock | undefined, log: Logger): void {
  try {
    lock?.discard();
  } catch (error) {
    log.warn("cannot remove a half unpacked browser", { cause: messageOf(error) });
  }
}

/**
 * The package looks at the mode alone, and a machine that lost its power leaves such files.
 *
 * @throws {AppError} `browser_unavailable`
 */
async function mustNotBeEmpty(path: string): Promise<void> {
  if ((await Deno.stat(path)).size > 0) return;
  throw new AppError("browser_unavailable", `The browser "${path}" is an empty file`, {
    remedy: 'Download it anew with "cloakbrowser-mcp install --force"',
  });
}

/** @throws {Error} for a browser that this machine cannot run */
async function mustRunHere(path: string): Promise<void> {
  const architecture = await executableArchitecture(path);
  if (architecture === undefined || architecture === Deno.build.arch) return;
  throw new Error(`the archive holds a browser for ${architecture}, and this machine is ${Deno.build.arch}`);
}

function hostOf(line: string): string | undefined {
  const url = /^Downloading from (\S+)$/.exec(line)?.[1];
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

function progressOf(message: string): EnsureProgress {
  const percent = /progress:\s*(\d{1,3})\s*%/i.exec(message)?.[1];
  return percent === undefined ? { message } : { message, percent: Math.min(100, Number(percent)) };
}

/**
 * A download takes minutes and happens once on a machine. Its steps are warnings, so that they show at the default
 * level: silence would look like a server that hangs.
 */
function logLine(log: Logger, line: PackageLine): void {
  if (!line.isMessage) log.debug(line.text);
  else if (/download|extracting|not found/i.test(line.text) || line.method === "warn") log.warn(line.text);
  else log.info(line.text);
}
