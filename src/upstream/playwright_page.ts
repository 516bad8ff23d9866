/** The part of Playwright's public API that our init page uses, inside upstream's own copy of it. */

export interface ConsoleMessage {
  type(): string;
  text(): string;
  timestamp(): number;
  location(): { readonly url: string; readonly lineNumber: number; readonly columnNumber: number };
}

export interface MessageFilter {
  readonly filter?: "all" | "since-navigation";
}

type Action = (...args: never[]) => Promise<unknown>;

export interface ElementHandle {
  click(options?: object): Promise<void>;
  dblclick(options?: object): Promise<void>;
  hover(options?: object): Promise<void>;
  fill(value: string, options?: object): Promise<void>;
  check(options?: object): Promise<void>;
  uncheck(options?: object): Promise<void>;
  scrollIntoViewIfNeeded(options?: object): Promise<void>;
  waitForElementState(state: "stable", options: { readonly timeout: number }): Promise<void>;
  getAttribute(name: string): Promise<string | null>;
  inputValue(): Promise<string>;
  dispose(): Promise<void>;
}

export interface Frame {
  waitForSelector(selector: string, options: object): Promise<ElementHandle | null>;
  evaluate<Result, Argument>(script: (argument: Argument) => Result, argument: Argument): Promise<Result>;
  evaluate(script: string): Promise<unknown>;
}

export interface Browser {
  on(event: "disconnected", listener: () => void): unknown;
}

/** Methods are replaced on one download, so that whoever holds it gets ours. */
export interface Download {
  suggestedFilename: () => string;
  saveAs: (path: string) => Promise<void>;
  /** Waits for the end of the download. Null where it went well. */
  failure(): Promise<string | null>;
  path(): Promise<string>;
  cancel(): Promise<void>;
}

export interface Context {
  browser(): Browser | null;
  pages(): readonly Page[];
  on(event: "page", listener: (page: Page) => void): unknown;
  addInitScript(script: { readonly content: string }): Promise<unknown>;
}

export interface Page {
  readonly mouse: Record<"move" | "down" | "up" | "click", Action>;
  readonly keyboard: Record<"type" | "press", Action>;
  context(): Context;
  mainFrame(): Frame;
  frames(): readonly Frame[];
  isClosed(): boolean;
  consoleMessages(filter?: MessageFilter): Promise<ConsoleMessage[]>;
  clearConsoleMessages(): Promise<void>;
  emit(event: string, ...args: unknown[]): boolean;
  prependListener(event: "download", listener: (download: Download) => void): unknown;
  on(event: "frameattached", listener: (frame: Frame) => void): unknown;
  on(event: "close" | "dialog" | "dialogclosed", listener: () => void): unknown;
}

/**
 * Makes sure that an object has these methods.
 *
 * @throws {Error} that names what is missing
 */
export function mustHave(owner: object, what: string, methods: readonly string[]): void {
  const missing = methods.filter((name) => typeof Reflect.get(owner, name) !== "function");
  if (missing.length > 0) {
    throw new Error(
      `this version of Playwright has no ${missing.map((name) => `${what}.${name}`).join(", ")}`,
    );
  }
}
