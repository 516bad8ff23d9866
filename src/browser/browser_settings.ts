import type { Settings } from "../settings/settings.ts";

/** The settings that decide which browser runs. */
export type BrowserSettings = Pick<
  Settings,
  | "browserEngine"
  | "binaryPath"
  | "autoUpdate"
  | "cacheDir"
  | "browserVersion"
  | "downloadUrl"
  | "downloadStallMs"
  | "licenseKey"
  | "releaseChannel"
  | "stealthArgs"
  | "upstreamArgs"
>;

/** The settings that decide how it is launched. */
export type LaunchSettings = Pick<
  Settings,
  | "headless"
  | "stealthArgs"
  | "sandbox"
  | "extraArgs"
  | "contextOptions"
  | "extensionPaths"
  | "geoipProxyMatch"
>;
