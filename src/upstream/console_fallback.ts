/**
 * Gives `page.consoleMessages()`, on which upstream's tool is built, what the page itself recorded, where the browser
 * sends no console events: CloakBrowser may keep them back, because a page can tell by them that somebody listens.
 *
 * Whether it does is tried once, on the first page of the context. Where the events arrive nothing is changed, and
 * no page gets a recorder.
 */

import { settlesWithin } from "../platform/deadline.ts";
import { recordConsole, type RecordedDocument, type RecorderLimits } from "./console_recorder.ts";
import type { PageFeature } from "./own_init_page.ts";
import type { FeatureState } from "./page_features.ts";
import {
  type ConsoleMessage,
  type Frame,
  type MessageFilter,
  mustHave,
  type Page,
} from "./playwright_page.ts";

/** What one document, and one tab over all its documents, may keep. */
const LIMITS: RecorderLimits = { messages: 1000, characters: 10_000 };

/** A frame that is busy for longer has its messages in the next answer. */
const READ_WITHIN_MS = 1000;

const PAGE_METHODS = ["consoleMessages", "clearConsoleMessages", "emit", "frames", "on"];

export class ConsoleFallback implements PageFeature {
  readonly name = "consoleFallback";
  readonly title = "The console fallback";
  readonly #token: string = crypto.randomUUID();
  /** By context, whether the browser keeps its console events back. */
  readonly #muteness = new WeakMap<object, Promise<boolean>>();

  async apply(page: Page): Promise<FeatureState> {
    mustHave(page, "page", PAGE_METHODS);
    const context = page.context();
    mustHave(context, "context", ["addInitScript"]);
    const known = this.#muteness.get(context);
    const mute = known ?? this.#tryOn(page);
    if (known === undefined) this.#muteness.set(context, mute);
    if (!await mute) return { active: false, reason: "the browser reports console messages itself" };
    new Records(page, this.#token).replaceMessages();
    return { active: true, reason: "the browser reports no console messages" };
  }

  async #tryOn(page: Page): Promise<boolean> {
    if (await hearsConsole(page)) return false;
    const source = `(${recordConsole})(${JSON.stringify(this.#token)}, ${JSON.stringify(LIMITS)})`;
    await page.context().addInitScript({ content: source });
    // The document that is there already has begun without it.
    await Promise.all(page.frames().map((frame) => frame.evaluate(source).catch(() => {})));
    return true;
  }
}

/**
 * Says something on the page's console and looks whether it arrives. The browser reports it before it answers the
 * evaluation. Nobody else gets to see the message.
 */
async function hearsConsole(page: Page): Promise<boolean> {
  const probe = crypto.randomUUID();
  const isProbe = (message: unknown): boolean => (message as ConsoleMessage).text() === probe;
  const { emit, consoleMessages } = page;
  page.emit = (event, ...args) =>
    (event === "console" && isProbe(args[0])) || emit.call(page, event, ...args);
  // deno-lint-ignore no-console -- the page's console, not ours
  await page.mainFrame().evaluate((text) => console.debug(text), probe);
  const heard = (await consoleMessages.call(page)).some(isProbe);
  if (heard) {
    page.consoleMessages = async (filter) =>
      (await consoleMessages.call(page, filter)).filter((message) => !isProbe(message));
  }
  return heard;
}

type Entry = readonly [document: string, message: ConsoleMessage];

/** What the documents of one page have said. Those that are gone are known as far as somebody has asked before. */
class Records {
  readonly #page: Page;
  readonly #token: string;
  #entries: Entry[] = [];
  /** By document, the number of the first message that is still to be taken. */
  readonly #taken = new Map<string, number>();
  #dialog = Promise.withResolvers<void>();
  #dialogOpen = false;

  constructor(page: Page, token: string) {
    this.#page = page;
    this.#token = token;
    page.on("dialog", () => {
      this.#dialogOpen = true;
      this.#dialog.resolve();
    });
    page.on("dialogclosed", () => {
      this.#dialogOpen = false;
      this.#dialog = Promise.withResolvers();
    });
  }

  /** Answers with the records where the browser has no messages. */
  replaceMessages(): void {
    const page = this.#page;
    const { consoleMessages, clearConsoleMessages } = page;
    page.consoleMessages = async (filter) => {
      const native = await consoleMessages.call(page, filter);
      return native.length > 0 ? native : await this.#messages(filter);
    };
    page.clearConsoleMessages = async () => {
      await clearConsoleMessages.call(page);
      await this.#read();
      this.#entries = [];
    };
  }

  async #messages({ filter = "since-navigation" }: MessageFilter = {}): Promise<ConsoleMessage[]> {
    const present = await this.#read();
    return this.#entries
      .filter(([document]) => filter === "all" || present === undefined || present.includes(document))
      .map(([, message]) => message)
      .toSorted((one, other) => one.timestamp() - other.timestamp());
  }

  /** Takes what is new; gives the documents that are there, or undefined where a dialog keeps them from answering. */
  async #read(): Promise<string[] | undefined> {
    if (this.#dialogOpen) return undefined;
    const present: string[] = [];
    const reading = Promise.all(
      this.#page.frames().map(async (frame) => {
        const document = await this.#recordedBy(frame);
        if (document === undefined) return;
        present.push(document.id);
        this.#take(document);
      }),
    );
    // Code of a page stands still while its dialog is open, and the call that closes the dialog must not wait for it.
    await Promise.race([settlesWithin(reading, READ_WITHIN_MS), this.#dialog.promise]);
    return this.#dialogOpen ? undefined : present;
  }

  async #recordedBy(frame: Frame): Promise<RecordedDocument | undefined> {
    try {
      const text = await frame.evaluate(
        (token) => Function.prototype.toString.call(token as unknown as () => void),
        this.#token,
      );
      return JSON.parse(text);
    } catch {
      return undefined; // a frame that is going, or a document without a recorder
    }
  }

  #take({ id, url, from, messages }: RecordedDocument): void {
    const next = Math.max(this.#taken.get(id) ?? 0, from);
    this.#taken.set(id, from + messages.length);
    const location = { url, lineNumber: 0, columnNumber: 0 };
    for (const [type, timestamp, text] of messages.slice(next - from)) {
      const message: ConsoleMessage = {
        type: () => type,
        text: () => text,
        timestamp: () => timestamp,
        location: () => location,
      };
      this.#entries.push([id, message]);
    }
    this.#entries = this.#entries.slice(-LIMITS.messages);
  }
}
