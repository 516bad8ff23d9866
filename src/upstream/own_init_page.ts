/**
 * The init page of our own: upstream calls it with every new page, and it switches on what the bridge wrote down in
 * `page_features.ts`. A feature that cannot run says so once and stays off; no tool call fails for it.
 */

import fs from "node:fs";
import Module from "node:module";
import os from "node:os";
import process from "node:process";
import { messageOf } from "../errors.ts";
import { type ChildNotice, encodeNotice } from "./child_notice.ts";
import {
  type FeatureState,
  INIT_PAGE_EXTENSION,
  type PageFeatures,
  type PageFeatureStates,
  statePath,
} from "./page_features.ts";
import type { Page } from "./playwright_page.ts";

/** Something that is done to every page. */
export interface PageFeature {
  readonly name: keyof PageFeatureStates;
  /** Begins the warning when it has to be switched off. */
  readonly title: string;
  /** @throws {Error} where Playwright is not as this feature knows it */
  apply(page: Page): Promise<FeatureState>;
}

/** What upstream calls with each new page. */
export type InitPage = (given: { readonly page: Page }) => Promise<void>;

/** Sees every page, whatever is done to it. */
export interface PageWatch {
  /** @throws {Error} where Playwright is not as this one knows it */
  watch(page: Page): void;
}

export interface InitPagePorts {
  /** Takes a notice to the bridge. */
  readonly notify: (notice: ChildNotice) => void;
  /** Writes down what runs. */
  readonly tell: (states: PageFeatureStates) => void;
}

/** The part of Node's module loader that `@types/node` leaves out. */
interface Loader {
  readonly _extensions: Record<string, (module: { exports: unknown }, file: string) => void>;
}

/** Makes `require` answer with our init page for the file that the bridge has written. */
export function loadOwnInitPage(): void {
  const { _extensions: extensions } = Module as unknown as Loader;
  extensions[INIT_PAGE_EXTENSION] = (module, file) => {
    const wanted: PageFeatures = JSON.parse(fs.readFileSync(file, "utf8"));
    const ports: InitPagePorts = {
      notify: (notice) => process.stdout.write(encodeNotice(notice)),
      tell: (states) => tell(statePath(file), states),
    };
    // Upstream loads init pages as it starts, long before there is a page.
    let loading: Promise<InitPage> | undefined;
    const initPage: InitPage = async (given) => {
      loading ??= load(wanted, ports);
      await (await loading)(given);
    };
    module.exports = { default: initPage };
  };
}

async function load(wanted: PageFeatures, ports: InitPagePorts): Promise<InitPage> {
  const [{ DownloadGuard }, { defaultOutputDirectory }] = await Promise.all([
    import("./download_guard.ts"),
    import("../browser/output_directory.ts"),
  ]);
  const directory = wanted.downloads.directory ?? await defaultOutputDirectory(process.cwd(), os.tmpdir());
  const guard = new DownloadGuard({ ...wanted.downloads, directory }, ports.notify);
  return createInitPage(await featuresOf(wanted), guard, ports);
}

async function featuresOf({ humanPreset, consoleFallback }: PageFeatures): Promise<PageFeature[]> {
  const features: PageFeature[] = [];
  if (consoleFallback) features.push(new (await import("./console_fallback.ts")).ConsoleFallback());
  if (humanPreset !== undefined) {
    features.push(new (await import("./humanized_input.ts")).HumanizedInput(humanPreset));
  }
  return features;
}

/** A full disk, or a bridge that is gone with its directory, must not keep a page from opening. */
function tell(path: string, states: PageFeatureStates): void {
  try {
    fs.writeFileSync(path, JSON.stringify(states), { mode: 0o600 });
  } catch {
    // The report of the bridge then shows the state before.
  }
}

/** What upstream calls with each new page. Never rejects. */
export function createInitPage(
  features: readonly PageFeature[],
  downloads: PageWatch,
  ports: InitPagePorts,
): InitPage {
  const states: Record<string, FeatureState> = {};
  const off = new Set<PageFeature>();
  const open = new Set<Page>();
  const watched = new WeakSet<object>();
  const watch = (page: Page): void => {
    const browser = page.context?.().browser?.();
    if (!browser || watched.has(browser) || typeof browser.on !== "function") return;
    watched.add(browser);
    browser.on("disconnected", () => ports.notify({ kind: "browser_gone" }));
  };
  let warned = false;
  const watchDownloads = (page: Page): void => {
    try {
      downloads.watch(page);
    } catch (error) {
      if (!warned) ports.notify({ kind: "warning", text: `Downloads are not watched: ${messageOf(error)}` });
      warned = true;
    }
  };
  const closed = (page: Page): void => {
    open.delete(page);
    ports.notify({ kind: "pages", open: open.size });
    if (open.size > 0) return;
    // With its last page the browser goes. What is switched off stays so.
    for (const { name } of features.filter((each) => !off.has(each))) delete states[name];
    ports.tell(states);
  };
  return async ({ page }) => {
    if (typeof page.on === "function") {
      open.add(page);
      ports.notify({ kind: "pages", open: open.size });
      page.on("close", () => closed(page));
      watch(page);
      watchDownloads(page);
    }
    for (const feature of features.filter((each) => !off.has(each))) {
      try {
        states[feature.name] = await feature.apply(page);
      } catch (error) {
        // A page that was closed meanwhile says nothing about Playwright.
        if (page.isClosed()) continue;
        off.add(feature);
        const reason = messageOf(error);
        states[feature.name] = { active: false, reason, switchedOff: true };
        ports.notify({ kind: "warning", text: `${feature.title} is switched off: ${reason}` });
      }
    }
    ports.tell(states);
  };
}
