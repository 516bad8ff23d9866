/**
 * What the child does to pages beside what upstream does: humanized input, the console fallback, an eye on downloads. The
 * bridge writes down what is wanted, in a file that upstream takes for an init page; the child answers in a file beside it.
 */

import { join } from "node:path";
import type { BrowserPlan } from "../browser/browser_plan.ts";
import type { JsonObject } from "../browser/upstream_option.ts";
import { AppError, messageOf } from "../errors.ts";
import type { Settings } from "../settings/settings.ts";
import type { DownloadRules } from "./download_guard.ts";

export type PageFeatureSettings = Pick<Settings, "humanize" | "humanPreset" | "consoleFallback">;

/** Without a directory the child finds out which one is upstream's own choice. */
export type WantedDownloads = Omit<DownloadRules, "directory"> & Partial<DownloadRules>;

/** What is wanted of the child. */
export interface PageFeatures {
  /** Undefined: input as Playwright makes it. */
  readonly humanPreset?: PageFeatureSettings["humanPreset"];
  readonly consoleFallback: boolean;
  readonly downloads: WantedDownloads;
}

/** What became of one feature in the child. */
export interface FeatureState {
  readonly active: boolean;
  readonly reason?: string;
  /** It has met a Playwright that it does not know. */
  readonly switchedOff?: true;
}

/** Features that a page has been opened with. */
export type PageFeatureStates = Partial<Readonly<Record<"humanize" | "consoleFallback", FeatureState>>>;

/** Tells upstream's loader of modules that the file is ours, see `own_init_page.ts`. */
export const INIT_PAGE_EXTENSION = ".cloak-page";

const INIT_PAGE_FILE = `session${INIT_PAGE_EXTENSION}`;

/** The child's answer to the init page at `path`. */
export function statePath(path: string): string {
  return `${path}.state`;
}

/** With the Playwright engine the browser is plain. */
export function wantedPageFeatures(
  settings: PageFeatureSettings,
  plan: BrowserPlan,
  downloads: WantedDownloads,
): PageFeatures {
  if (plan.engine !== "cloak") return { consoleFallback: false, downloads };
  return {
    consoleFallback: settings.consoleFallback,
    downloads,
    ...(settings.humanize ? { humanPreset: settings.humanPreset } : {}),
  };
}

/**
 * Writes the init page for the next child, and forgets what the last one said.
 *
 * @returns its path
 * @throws {AppError} `usage` when the directory cannot be written
 */
export async function writePageFeatures(directory: string, features: PageFeatures): Promise<string> {
  const path = join(directory, INIT_PAGE_FILE);
  try {
    await Deno.writeTextFile(path, JSON.stringify(features), { mode: 0o600 });
    await Deno.writeTextFile(statePath(path), "{}", { mode: 0o600 });
  } catch (cause) {
    throw new AppError("usage", `Cannot write "${path}": ${messageOf(cause)}`, {
      remedy: "Set TMPDIR (on Windows TEMP) to a directory that can be written",
      cause,
    });
  }
  return path;
}

export interface Circumstances {
  /** Undefined where none has been decided on. */
  readonly engine: BrowserPlan["engine"] | undefined;
  /** Whether upstream is the one that we bring. */
  readonly embedded: boolean;
  /** Whether a child runs. */
  readonly runs: boolean;
}

/** What is wanted, and what runs now, as `cloakbrowser_bridge_info` tells it. */
export async function reportPageFeatures(
  directory: string,
  settings: PageFeatureSettings,
  circumstances: Circumstances,
): Promise<JsonObject> {
  const said = await readStates(statePath(join(directory, INIT_PAGE_FILE)));
  const report = (enabled: boolean, state: FeatureState | undefined): JsonObject => {
    if (!enabled) return { enabled, active: false };
    const obstacle = obstacleIn(circumstances);
    if (obstacle !== undefined) return { enabled, active: false, reason: obstacle };
    return { enabled, ...(state ?? { active: false, reason: "no page is open" }) };
  };
  return {
    humanize: { ...report(settings.humanize, said.humanize), preset: settings.humanPreset },
    consoleFallback: report(settings.consoleFallback, said.consoleFallback),
  };
}

function obstacleIn({ engine, embedded, runs }: Circumstances): string | undefined {
  if (!embedded) return "upstream was replaced";
  if (engine === "playwright") return "the browser is left to Playwright MCP";
  return runs ? undefined : "no browser runs";
}

/** Nothing where no child has written, or is writing. */
async function readStates(path: string): Promise<PageFeatureStates> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch {
    return {};
  }
}
