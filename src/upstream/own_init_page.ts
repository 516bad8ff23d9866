/**
 * The init page of our own: upstream calls it with every new page, and it switches on what the bridge wrote down in
 * `page_features.ts`. A feature that cannot run says so once and stays off; no tool call fails for it.
 */

import fs from "node:fs";
import Module from "node:module";
import process from "node:process";
import { messageOf } from "../errors.ts";
import {
  type FeatureState,
  INIT_PAGE_EXTENSION,
  type PageFeatures,
  type PageFeatureStates,
  statePath,
} from "./page_features.ts";
import type { Page } from "./playwright_page.ts";
import { CHILD_LOST_BROWSER, CHILD_WARNING } from "./child_lines.ts";

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

export interface InitPagePorts {
  readonly warn: (text: string) => void;
  readonly tell: (states: PageFeatureStates) => void;
  /** The browser of the pages has gone. */
  readonly lost: () => void;
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
      warn: (text) => process.stderr.write(`${CHILD_WARNING}${text}\n`),
      tell: (states) => tell(statePath(file), states),
      lost: () => process.stderr.write(`${CHILD_LOST_BROWSER}\n`),
    };
    // Upstream loads init pages as it starts, long before there is a page.
    let loading: Promise<InitPage> | undefined;
    const initPage: InitPage = async (given) => {
      loading ??= featuresOf(wanted).then((features) => createInitPage(features, ports));
      await (await loading)(given);
    };
    module.exports = { default: initPage };
  };
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
    browser.on("disconnected", ports.lost);
  };
  const closed = (page: Page): void => {
    open.delete(page);
    if (open.size > 0) return;
    // With its last page the browser goes. What is switched off stays so.
    for (const { name } of features.filter((each) => !off.has(each))) delete states[name];
    ports.tell(states);
  };
  return async ({ page }) => {
    if (typeof page.on === "function") {
      open.add(page);
      page.on("close", () => closed(page));
      watch(page);
    }
    for (const feature of features.filter((each) => !off.has(each))) {
      try {
        states[feature.name] = await feature.apply(page);
      } catch (error) {
        // A page that was closed meanwhile says nothing about Playwright.
        if (page.isClosed()) continue;
        off.add(feature);
        const reason = messageOf(error);
        states[feature.name] = { active: false, reason };
        ports.warn(`${feature.title} is switched off: ${reason}`);
      }
    }
    ports.tell(states);
  };
}
