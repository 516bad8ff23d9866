import type { BrowserSettings, LaunchSettings } from "../../src/browser/browser_settings.ts";
import { createLogger, type Logger } from "../../src/telemetry/log.ts";

/** Settings as they are without any option given. */
export function browserSettings(
  changes: Partial<BrowserSettings & LaunchSettings> = {},
): BrowserSettings & LaunchSettings {
  return {
    browserEngine: "cloak",
    binaryPath: undefined,
    stealthArgs: true,
    extraArgs: [],
    sandbox: changes.browserEngine === "playwright" ? undefined : false,
    headless: true,
    contextOptions: undefined,
    extensionPaths: [],
    geoipProxyMatch: false,
    autoUpdate: false,
    cacheDir: undefined,
    browserVersion: undefined,
    downloadUrl: undefined,
    downloadStallMs: 60_000,
    licenseKey: undefined,
    releaseChannel: "stable",
    upstreamArgs: [],
    ...changes,
  };
}

/** A logger that keeps its lines. */
export function collectingLog(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const log = createLogger({ level: "trace", format: "text", write: (line) => lines.push(line) });
  return { log, lines };
}
