/**
 * The saved licence key, in the file where the `cloakbrowser` package and the browser look for it. What a key is
 * worth is for the package to ask.
 */

import { dirname, join } from "node:path";
import { AppError } from "../errors.ts";
import { describeFileFault } from "../settings/file_fault.ts";
import type { Logger } from "../telemetry/log.ts";
import type { BrowserSettings } from "./browser_settings.ts";
import { type CloakBrowserService, createCloakBrowserPackage } from "./cloakbrowser_package.ts";
import { LICENSE_FILE, readLicenseFile } from "./license_key.ts";
import type { Seats } from "./package_part.ts";

export interface LicenseReport {
  /** Where the key comes from; `none` where there is none, and CloakBrowser runs its free binary. */
  readonly source: "setting" | "file" | "none";
  readonly file: string;
  /** `unknown` where the licence server does not answer. */
  readonly state: "valid" | "invalid" | "unknown" | "none";
  readonly plan: string | null;
  readonly expires: string | null;
  readonly seats: Seats | null;
}

export interface License {
  /**
   * Saves a key that the licence server calls valid; returns its plan.
   *
   * @throws {AppError} `browser_unavailable` and nothing saved, where it does not
   */
  login(key: string): Promise<string>;
  /** Removes the saved key; false where there was none. */
  logout(): Promise<boolean>;
  info(): Promise<LicenseReport>;
}

export function createLicense(
  settings: BrowserSettings,
  log: Logger,
  cloakbrowser: CloakBrowserService = createCloakBrowserPackage(settings, log),
): License {
  const cache = async (): Promise<string> => dirname((await cloakbrowser.info()).cacheDir);
  return {
    async login(key): Promise<string> {
      if (!/^[\x21-\x7e]+$/.test(key)) {
        throw new AppError("usage", "Cannot save the licence key: none was entered, or it has blanks in it", {
          remedy: 'Run "cloakbrowser-mcp license login" in a terminal, or give the key on standard input',
        });
      }
      const found = await cloakbrowser.validateLicense(key);
      if (found === undefined || !found.valid) {
        const reason = found === undefined
          ? "the licence server does not answer"
          : "it is invalid or expired";
        throw new AppError(
          "browser_unavailable",
          `Cannot use the licence key: ${reason}; nothing was saved`,
          {
            remedy: found === undefined
              ? "Check the network, and behind a proxy HTTPS_PROXY and NO_PROXY"
              : "Keys are to be had at https://cloakbrowser.dev",
          },
        );
      }
      await save(await cache(), key);
      return found.plan;
    },

    async logout(): Promise<boolean> {
      const cacheDir = await cache();
      try {
        await Deno.remove(join(cacheDir, LICENSE_FILE));
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return false;
        const path = join(cacheDir, LICENSE_FILE);
        throw new AppError("usage", `Cannot remove the licence key "${path}": ${describeFileFault(error)}`, {
          remedy: "Remove it by hand, or as the user who saved it",
          cause: error,
        });
      }
      return true;
    },

    async info(): Promise<LicenseReport> {
      const cacheDir = await cache();
      const key = settings.licenseKey ?? await readLicenseFile(cacheDir);
      const source = settings.licenseKey !== undefined ? "setting" : key === undefined ? "none" : "file";
      const report = {
        source,
        file: join(cacheDir, LICENSE_FILE),
        plan: null,
        expires: null,
        seats: null,
      } as const;
      if (key === undefined) return { ...report, state: "none" };
      const found = await cloakbrowser.validateLicense(key);
      if (found === undefined) return { ...report, state: "unknown" };
      const { valid, plan, expires } = found;
      const seats = valid ? await cloakbrowser.seats(key) : null;
      return { ...report, state: valid ? "valid" : "invalid", plan, expires, seats };
    },
  };
}

/** Never readable by others, not even for a moment, and never half a key. */
async function save(cacheDir: string, key: string): Promise<void> {
  await Deno.mkdir(cacheDir, { recursive: true });
  const temporary = await Deno.makeTempFile({ dir: cacheDir, prefix: ".license-" });
  try {
    await Deno.writeTextFile(temporary, `${key}\n`, { mode: 0o600 });
    await Deno.rename(temporary, join(cacheDir, LICENSE_FILE));
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}
