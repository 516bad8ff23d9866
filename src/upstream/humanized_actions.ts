/**
 * Actions of a frame, on elements that the `cloakbrowser` package has patched. What the package's version of an action
 * leaves out (another mouse button, a position, a text that ends up differently) is done by Playwright after the
 * mouse has come as a person moves it.
 */

import type { ElementHandle, Frame, Page } from "./playwright_page.ts";

/** As Playwright's: of those that matter here only the time limit has a name. */
interface Options {
  readonly timeout?: number;
  readonly [name: string]: unknown;
}

type Method = (...args: unknown[]) => Promise<unknown>;

/** Methods of a frame, to which every locator and the page itself hand on. */
export const INPUT_METHODS = [
  ...["click", "dblclick", "hover", "tap", "type", "fill", "press", "check", "uncheck"],
  ...["selectOption", "dragAndDrop"],
] as const;

/** A person holds a key down for so long, in milliseconds. */
const KEY_HOLD_MS = { least: 30, most: 90 };

/** As long as Playwright itself waits where no limit is given. */
const STABLE_WITHIN_MS = 30_000;

/** Filled in by hand these take keys that mean something else than the text that is meant. */
const PICKED_TYPES = ["color", "date", "datetime-local", "month", "range", "time", "week"];

/** Options under which a click is more than a click of the left button somewhere on the element. */
const SPECIAL_CLICK = [
  "button",
  "modifiers",
  "position",
  "clickCount",
  "delay",
  "trial",
  "force",
  "noWaitAfter",
];

/** Keys like Enter and Tab would leave the field or send it. */
// deno-lint-ignore no-control-regex -- control characters are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** Replaces the frame's actions. The package must have patched the frame before. */
export function humanizeFrame(page: Page, frame: Frame): void {
  const native = Object.getPrototypeOf(frame) as Readonly<Record<string, Method>>;
  const plain = (name: string) => (...args: unknown[]): Promise<unknown> =>
    (native[name] as Method).call(frame, ...args);

  /** Lets `act` have the element, patched by the package. */
  const withElement = async <Result>(
    selector: unknown,
    options: Options,
    act: (element: ElementHandle) => Promise<Result>,
  ): Promise<Result> => {
    const wanted = { state: "attached", strict: options["strict"] ?? false, timeout: options.timeout };
    const element = await frame.waitForSelector(String(selector), wanted);
    if (element === null) throw new Error(`No element matches ${selector}`);
    try {
      await bringIntoSight(element, options);
      return await act(element);
    } finally {
      // A page that is gone has taken the element with it.
      element.dispose().catch(() => {});
    }
  };
  const approach = (selector: unknown, options: Options): Promise<void> =>
    withElement(selector, options, (element) => element.hover(timeLimit(options)));

  const click = (name: "click" | "dblclick") => async (selector: unknown, options: Options = {}) => {
    if (isSpecial(options)) {
      await approach(selector, options);
      return await plain(name)(selector, options);
    }
    return await withElement(selector, options, (element) => element[name](timeLimit(options)));
  };

  const fill = async (selector: unknown, value: unknown, options: Options = {}): Promise<unknown> => {
    const text = String(value);
    const typed = await withElement(selector, options, async (element) => {
      const type = await element.getAttribute("type");
      if (CONTROL_CHARACTER.test(text) || PICKED_TYPES.includes(type ?? "")) {
        await element.hover(timeLimit(options));
        return false;
      }
      await element.fill(text, timeLimit(options));
      // What is no field has no value to compare; a page may also take the field away when it is full.
      return await element.inputValue().then((present) => present === text, () => true);
    });
    return typed ? undefined : await plain("fill")(selector, value, options);
  };

  const type = async (selector: unknown, text: unknown, options: Options = {}): Promise<void> => {
    await approach(selector, options);
    // Not clicked: a click could put the text into the middle of what is there.
    await plain("focus")(selector, { strict: options["strict"], timeout: options.timeout });
    await (page.keyboard.type as Method)(text);
  };

  const set = (name: "check" | "uncheck") => async (selector: unknown, options: Options = {}) => {
    if (!isSpecial(options)) {
      await withElement(selector, options, (element) => element[name](timeLimit(options)));
    }
    // Does nothing where the box is as it should be, and knows how to say what is wrong where it is not.
    return await plain(name)(selector, options);
  };

  const dragAndDrop = async (source: unknown, target: unknown, options: Options = {}): Promise<unknown> => {
    if ("sourcePosition" in options || "targetPosition" in options || isSpecial(options)) {
      return await plain("dragAndDrop")(source, target, options);
    }
    const { down, up } = page.mouse as unknown as Record<"down" | "up", () => Promise<void>>;
    await approach(source, options);
    await down.call(page.mouse);
    try {
      await approach(target, options);
    } finally {
      await up.call(page.mouse);
    }
    return undefined;
  };

  const actions: Record<(typeof INPUT_METHODS)[number], Method> = {
    click: click("click") as Method,
    dblclick: click("dblclick") as Method,
    tap: plain("tap"),
    hover: async (selector, options = {}) => {
      if (isSpecial(options as Options)) return await plain("hover")(selector, options);
      return await approach(selector, options as Options);
    },
    fill: fill as Method,
    type: type as Method,
    press: (selector, key, options) =>
      plain("press")(selector, key, { delay: keyHold(), ...options as Options }),
    check: set("check") as Method,
    uncheck: set("uncheck") as Method,
    selectOption: async (selector, values, options = {}) => {
      await approach(selector, options as Options);
      return await plain("selectOption")(selector, values, options);
    },
    dragAndDrop: dragAndDrop as Method,
  };
  Object.assign(frame, actions);
}

/** Replaces what the page does without naming an element, where the package leaves options out. */
export function humanizePointer(page: Page): void {
  const { mouse, keyboard } = page as unknown as Record<"mouse" | "keyboard", Record<string, Method>>;
  const plainClick = (Object.getPrototypeOf(mouse) as Record<string, Method>)["click"] as Method;
  const plainPress = (Object.getPrototypeOf(keyboard) as Record<string, Method>)["press"] as Method;
  const click = mouse["click"] as Method;
  mouse["click"] = async (x, y, options) => {
    if (!isSpecial((options ?? {}) as Options)) return await click(x, y);
    await (mouse["move"] as Method)(x, y);
    return await plainClick.call(mouse, x, y, options);
  };
  keyboard["press"] = (key, options) =>
    plainPress.call(keyboard, key, { delay: keyHold(), ...options as Options });
  for (const name of INPUT_METHODS) {
    const act: Method = (...args) =>
      (page.mainFrame() as unknown as Record<string, Method>)[name]?.(...args) as Promise<unknown>;
    Object.assign(page, { [name]: act });
  }
}

/**
 * The package scrolls, too, but aims while the page may still be moving. A page that moves on by itself, or loads
 * more while it is scrolled, gets a second chance.
 */
async function bringIntoSight(element: ElementHandle, options: Options): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await element.scrollIntoViewIfNeeded(timeLimit(options));
    await element.waitForElementState("stable", { timeout: options.timeout ?? STABLE_WITHIN_MS });
  }
}

function isSpecial(options: Options): boolean {
  return SPECIAL_CLICK.some((name) => {
    const value = options[name];
    return !(value === undefined || value === false || value === "left" ||
      (name === "clickCount" && value === 1) || (Array.isArray(value) && value.length === 0));
  });
}

/** The package takes every option of a call for one of its own settings, too. */
function timeLimit({ timeout }: Options): Options {
  return timeout === undefined ? {} : { timeout };
}

function keyHold(): number {
  const { least, most } = KEY_HOLD_MS;
  return least + Math.random() * (most - least);
}
