/**
 * The one door to the npm package `cloakbrowser`, which resolves and downloads the browser.
 *
 * The package reads its configuration from the process environment, some of it while it is imported, and prints
 * with `console.log`. So it is imported late, after the environment was made to say what the settings say, and
 * never runs without its output being captured.
 */

import { homedir } from "node:os";
import { dirname } from "node:path";
import { AppError, messageOf } from "../errors.ts";
import type { Logger } from "../telemetry/log.ts";
import { type ArchiveProgress, watchArchive } from "./archive_watch.ts";
import type { BinaryInfo } from "./browser_plan.ts";
import type { BrowserSettings } from "./browser_settings.ts";
import { captureConsole, type ConsoleMethod } from "./console_capture.ts";
import { withoutCredentials } from "./credentials.ts";
import { watchDisk } from "./disk_fault.ts";
import { orAborted } from "../platform/deadline.ts";
import { callPart, type Seats } from "./package_part.ts";

export type PackageSettings = Pick<
  BrowserSettings,
  | "autoUpdate"
  | "cacheDir"
  | "browserVersion"
  | "downloadUrl"
  | "downloadStallMs"
  | "licenseKey"
  | "releaseChannel"
>;

/** One text that the package printed. */
export interface PackageLine {
  readonly text: string;
  readonly method: ConsoleMethod;
  /** The package starts its messages with its name; other lines are its advertisement. */
  readonly isMessage: boolean;
}

/** How {@link CloakBrowserPackage.ensure} is to go about it. */
export interface EnsureOptions {
  /** Called for every piece of the archive that comes in. */
  readonly onBytes?: (progress: ArchiveProgress) => void;
  /** Breaks a download off; the promise then rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Fetch the newest release, not just one that will do. */
  readonly newest?: boolean;
}

export interface CloakBrowserPackage {
  /**
   * What is installed or would be; looks at the disk only.
   *
   * @throws {AppError} `usage` for a version that is none
   * @throws {Error} on a platform without CloakBrowser
   */
  info(): Promise<BinaryInfo>;
  /** Default arguments with a new random fingerprint. */
  stealthArgs(): Promise<readonly string[]>;
  /** Path of the executable, downloaded where needed. Rejects with the package's own errors. */
  ensure(onLine: (line: PackageLine) => void, options?: EnsureOptions): Promise<string>;
}

/** The package with what it asks its hosts besides a download. */
export interface CloakBrowserService extends CloakBrowserPackage {
  /**
   * Version of the newest release, for a licence key where there is one; undefined where nobody answers.
   *
   * @throws {Error} for a key that is not valid
   */
  newestVersion(licenseKey: string | undefined): Promise<string | undefined>;
  /** What the licence server says about a key; undefined where it does not answer. */
  validateLicense(licenseKey: string): Promise<LicenseInfo | undefined>;
  seats(licenseKey: string): Promise<Seats>;
}

export interface LicenseInfo {
  readonly valid: boolean;
  readonly plan: string;
  /** As the licence server writes it. */
  readonly expires: string | null;
}

const PREFIX = "[cloakbrowser] ";

/** Printed right before the archive is fetched. */
const ANNOUNCEMENT = /^\[cloakbrowser\] Downloading from (\S+)$/;

export function createCloakBrowserPackage(settings: PackageSettings, log: Logger): CloakBrowserService {
  const { browserVersion, licenseKey, releaseChannel } = settings;
  let background: Disposable | undefined;

  const capture = (onLine: (line: PackageLine) => void, onArchive: (url: string) => void): Disposable =>
    captureConsole((text, method) => {
      for (const line of text.split("\n")) {
        if (line.trim() === "") continue;
        const url = ANNOUNCEMENT.exec(line)?.[1];
        if (url !== undefined) onArchive(url);
        const isMessage = line.startsWith(PREFIX);
        onLine({
          text: hide(isMessage ? line.slice(PREFIX.length) : line.trim(), licenseKey),
          method,
          isMessage,
        });
      }
    });

  return {
    async info(): Promise<BinaryInfo> {
      mustHaveCache(settings);
      const cloakbrowser = await loadCloakBrowser(settings);
      try {
        const info = cloakbrowser.binaryInfo(browserVersion, releaseChannel);
        return { ...info, downloadUrl: withoutCredentials(info.downloadUrl) };
      } catch (cause) {
        if (!/version pin/i.test(messageOf(cause))) throw cause;
        throw new AppError("usage", `Cannot use browser version "${browserVersion}": ${messageOf(cause)}`, {
          remedy: "Name a full version such as 146.0.7680.177.5 with CLOAKBROWSER_VERSION, or leave it out",
          cause,
        });
      }
    },

    async stealthArgs(): Promise<readonly string[]> {
      return (await loadCloakBrowser(settings)).getDefaultStealthArgs();
    },

    async ensure(onLine, options = {}): Promise<string> {
      const cloakbrowser = await loadCloakBrowser(settings);
      // The check for updates goes on, and prints, after the call has returned.
      if (settings.autoUpdate) background ??= capture((line) => log.debug(line.text), () => {});
      const info = cloakbrowser.binaryInfo(browserVersion, releaseChannel);
      if (!info.installed) await mustBeWritable(dirname(info.cacheDir));
      using disk = watchDisk(dirname(info.cacheDir));
      const signal = AbortSignal.any([disk.signal, options.signal].filter((each) => each !== undefined));
      using archive = watchArchive({ stallMs: settings.downloadStallMs, ...options, signal });
      using _ = capture(onLine, (url) => archive.expect(url));
      const newest = options.newest === true
        ? await orAborted(cloakbrowser.checkForUpdate(), disk.signal)
        : null;
      if (newest !== null) return cloakbrowser.binaryInfo(newest).binaryPath;
      const ensured = cloakbrowser.ensureBinary(licenseKey, browserVersion, releaseChannel);
      return await orAborted(ensured, disk.signal);
    },

    async newestVersion(key): Promise<string | undefined> {
      const cloakbrowser = await loadCloakBrowser(settings);
      using _ = capture((line) => log.debug(line.text), () => {});
      if (key === undefined) {
        return await callPart("download.js", "getLatestChromiumVersion") ?? undefined;
      }
      const license = await cloakbrowser.validateLicense(key);
      if (license?.valid === false) {
        throw new AppError("browser_unavailable", "The licence key is invalid or expired", {
          remedy: 'See "cloakbrowser-mcp license info"',
        });
      }
      return (await callPart("license.js", "getProLatestRelease", releaseChannel))?.version;
    },

    async validateLicense(key): Promise<LicenseInfo | undefined> {
      const cloakbrowser = await loadCloakBrowser(settings);
      using _ = capture((line) => log.debug(hide(line.text, key)), () => {});
      return await cloakbrowser.validateLicense(key) ?? undefined;
    },

    async seats(key): Promise<Seats> {
      await loadCloakBrowser(settings);
      using _ = capture((line) => log.debug(hide(line.text, key)), () => {});
      return await callPart("license.js", "getSessionSeats", key);
    },
  };
}

/** @throws {AppError} `usage` where the package would find no place for its files */
function mustHaveCache({ cacheDir }: PackageSettings): void {
  // Deno gives null where there is neither HOME nor an entry of this user.
  if (cacheDir !== undefined || homedir()) return;
  throw new AppError("usage", "Cannot tell where CloakBrowser is kept: this user has no home directory", {
    remedy: "Set HOME, or name a directory with --cache-dir",
  });
}

/**
 * The package would download everything and then wait for ever for a file that it cannot open.
 *
 * @throws {Error} where nothing can be kept in the directory
 */
async function mustBeWritable(directory: string): Promise<void> {
  try {
    await Deno.mkdir(directory, { recursive: true });
    await Deno.remove(await Deno.makeTempFile({ dir: directory, prefix: ".cloakbrowser-mcp-" }));
  } catch (cause) {
    throw new Error(`the cache directory "${directory}" cannot be written`, { cause });
  }
}

/** The package, for what is not part of {@link CloakBrowserPackage}. Whoever calls into it captures the console. */
export async function loadCloakBrowser(settings: PackageSettings): Promise<typeof import("cloakbrowser")> {
  prepareEnvironment(settings);
  return await import("cloakbrowser");
}

/** Everything that the package is not told by argument. Unset settings were unset in the environment too. */
function prepareEnvironment(settings: PackageSettings): void {
  Deno.env.set("CLOAKBROWSER_AUTO_UPDATE", String(settings.autoUpdate));
  // It would run a program and print at the first launch; that is for a diagnosis to say.
  Deno.env.set("CLOAKBROWSER_SUPPRESS_FONT_WARNING", "1");
  if (settings.cacheDir !== undefined) Deno.env.set("CLOAKBROWSER_CACHE_DIR", settings.cacheDir);
  if (settings.downloadUrl !== undefined) Deno.env.set("CLOAKBROWSER_DOWNLOAD_URL", settings.downloadUrl);
}

function hide(text: string, licenseKey: string | undefined): string {
  const plain = withoutCredentials(text);
  return licenseKey === undefined ? plain : plain.replaceAll(licenseKey, "…");
}
