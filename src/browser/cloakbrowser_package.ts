/**
 * The one door to the npm package `cloakbrowser`, which resolves and downloads the browser.
 *
 * The package reads its configuration from the process environment, some of it while it is imported, and prints
 * with `console.log`. So it is imported late, after the environment was made to say what the settings say, and
 * never runs without its output being captured.
 */

import { dirname } from "node:path";
import { AppError, messageOf } from "../errors.ts";
import type { Logger } from "../telemetry/log.ts";
import type { BinaryInfo } from "./browser_plan.ts";
import type { BrowserSettings } from "./browser_settings.ts";
import { captureConsole, type ConsoleMethod } from "./console_capture.ts";
import { withoutCredentials } from "./credentials.ts";

export type PackageSettings = Pick<
  BrowserSettings,
  "autoUpdate" | "cacheDir" | "browserVersion" | "downloadUrl" | "licenseKey" | "releaseChannel"
>;

/** One text that the package printed. */
export interface PackageLine {
  readonly text: string;
  readonly method: ConsoleMethod;
  /** The package starts its messages with its name; other lines are its advertisement. */
  readonly isMessage: boolean;
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
  ensure(onLine: (line: PackageLine) => void): Promise<string>;
}

const PREFIX = "[cloakbrowser] ";

export function createCloakBrowserPackage(settings: PackageSettings, log: Logger): CloakBrowserPackage {
  const { browserVersion, licenseKey, releaseChannel } = settings;
  let background: Disposable | undefined;

  const capture = (onLine: (line: PackageLine) => void): Disposable =>
    captureConsole((text, method) => {
      for (const line of text.split("\n")) {
        if (line.trim() === "") continue;
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

    async ensure(onLine): Promise<string> {
      const cloakbrowser = await loadCloakBrowser(settings);
      // The check for updates goes on, and prints, after the call has returned.
      if (settings.autoUpdate) background ??= capture((line) => log.debug(line.text));
      const info = cloakbrowser.binaryInfo(browserVersion, releaseChannel);
      if (!info.installed) await mustBeWritable(dirname(info.cacheDir));
      using _ = capture(onLine);
      return await cloakbrowser.ensureBinary(licenseKey, browserVersion, releaseChannel);
    },
  };
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
