/** What the settings want of the downloads of a child's browser. */

import { join } from "node:path";
import type { BrowserPlan } from "../browser/browser_plan.ts";
import type { LaunchSettings } from "../browser/browser_settings.ts";
import { chosenOutputDirectory } from "../browser/output_directory.ts";
import { type UpstreamSources, valueAt } from "../browser/upstream_option.ts";
import type { Settings } from "../settings/settings.ts";
import type { WantedDownloads } from "./page_features.ts";

export type DownloadSettings = Pick<Settings, "downloads" | "downloadMaxBytes">;

/** @param privateDirectory of this child, which goes away with it */
export function downloadWishes(
  { downloads, downloadMaxBytes: maxBytes }: DownloadSettings,
  plan: BrowserPlan,
  sources: UpstreamSources,
  privateDirectory: string,
): WantedDownloads {
  const directory = chosenOutputDirectory(sources, Deno.cwd());
  const theirs = valueAt(sources.config, "browser.launchOptions.downloadsPath");
  const arrivals = typeof theirs === "string" ? theirs : join(privateDirectory, "downloads");
  return {
    mode: downloads === "deny" ? "deny" : "keep",
    ...(directory === undefined ? {} : { directory }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    // A browser that runs already writes where it likes.
    ...(maxBytes === undefined || plan.attaches ? {} : { arrivals }),
  };
}

/** Context options by which the browser itself takes no downloads, whatever else is said of them. */
export function withDownloadRule(
  settings: DownloadSettings & Pick<LaunchSettings, "contextOptions">,
): LaunchSettings["contextOptions"] {
  return settings.downloads === "deny"
    ? { ...settings.contextOptions, acceptDownloads: false }
    : settings.contextOptions;
}
