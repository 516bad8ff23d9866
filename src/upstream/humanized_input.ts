/**
 * Lets the `cloakbrowser` package move, click, scroll and type as a person does. Its patches sit on the very objects
 * that upstream's tools use, in upstream's own copy of Playwright.
 *
 * The package finds elements by selectors of its own, and knows neither the references of upstream's snapshots nor
 * roles. So whatever names an element by a selector is led to the element itself first, where the package's patches
 * take over. Raw CDP input stays as it is.
 */

import { humanizeFrame, humanizePointer, INPUT_METHODS } from "./humanized_actions.ts";
import type { PageFeature } from "./own_init_page.ts";
import type { FeatureState } from "./page_features.ts";
import { type Context, mustHave, type Page } from "./playwright_page.ts";

type Preset = "default" | "careful";

/** The part of `cloakbrowser/human` that is used. */
interface HumanPackage {
  resolveConfig(preset: Preset): object;
  patchBrowser(browser: object, config: object): void;
  patchContext(context: object, config: object): void;
}

const MOUSE_METHODS = ["move", "down", "up", "click", "dblclick", "wheel"];
const KEYBOARD_METHODS = ["down", "up", "type", "press", "insertText"];

/** Present on a page, a frame and an element that the package has patched; its own name for it. */
const PATCHED_PAGE = "_original";

/** Marks what the package was given, so that it is given once. */
const HUMANIZED: unique symbol = Symbol("humanized");

export class HumanizedInput implements PageFeature {
  readonly name = "humanize";
  readonly title = "Humanized input";
  readonly #preset: Preset;
  readonly #load: () => Promise<HumanPackage>;

  /** @param load gives the package, late: only children that humanize pay for it */
  constructor(preset: Preset, load: () => Promise<HumanPackage> = loadPackage) {
    this.#preset = preset;
    this.#load = load;
  }

  async apply(page: Page): Promise<FeatureState> {
    if (isMarked(page)) return { active: true };
    mustHave(page, "page", ["context", "mainFrame", "frames", "on"]);
    mustHave(page.mouse, "page.mouse", MOUSE_METHODS);
    mustHave(page.keyboard, "page.keyboard", KEYBOARD_METHODS);
    mustHave(page.mainFrame(), "frame", [...INPUT_METHODS, "waitForSelector"]);
    await this.#patch(page.context());
    if (!(PATCHED_PAGE in page)) throw new Error("the cloakbrowser package did not take the page");
    mark(page);
    for (const frame of page.frames()) humanizeFrame(page, frame);
    page.on("frameattached", (frame) => humanizeFrame(page, frame));
    humanizePointer(page);
    return { active: true };
  }

  /** The browser once, with all its contexts; where there is no browser object, the context once. */
  async #patch(context: Context): Promise<void> {
    const owner = context.browser() ?? context;
    if (isMarked(owner)) return;
    const human = await this.#load();
    // Another page of the same browser may have waited for the package as well.
    if (isMarked(owner)) return;
    mark(owner);
    const config = human.resolveConfig(this.#preset);
    if (owner === context) human.patchContext(context, config);
    else human.patchBrowser(owner, config);
  }
}

async function loadPackage(): Promise<HumanPackage> {
  return await import("cloakbrowser/human") as unknown as HumanPackage;
}

function isMarked(owner: object): boolean {
  return HUMANIZED in owner;
}

function mark(owner: object): void {
  Object.defineProperty(owner, HUMANIZED, { value: true });
}
