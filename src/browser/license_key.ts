import { join } from "node:path";
import type { BrowserSettings } from "./browser_settings.ts";

/** Name of the file in the cache directory. */
export const LICENSE_FILE = "license.key";

export type LicenseSettings = Pick<BrowserSettings, "licenseKey" | "cacheDir">;

/**
 * The key that the browser process must find in its environment: the setting, or what `cloakbrowser login` left in
 * a cache directory of the user's choice. Where that is the default directory the browser reads it by itself.
 */
export async function licenseKeyForBrowser(settings: LicenseSettings): Promise<string | undefined> {
  if (settings.licenseKey !== undefined) return settings.licenseKey;
  return settings.cacheDir === undefined ? undefined : await readLicenseFile(settings.cacheDir);
}

/** The key that lies in a cache directory, or undefined. */
export async function readLicenseFile(cacheDir: string): Promise<string | undefined> {
  try {
    return (await Deno.readTextFile(join(cacheDir, LICENSE_FILE))).trim() || undefined;
  } catch {
    return undefined;
  }
}
