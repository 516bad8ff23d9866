import assert from "node:assert/strict";
import { ConsoleFallback } from "../../src/upstream/console_fallback.ts";
import { HumanizedInput } from "../../src/upstream/humanized_input.ts";
import type { ChildNotice } from "../../src/upstream/child_notice.ts";
import {
  createInitPage,
  type InitPagePorts,
  type PageFeature,
  type PageWatch,
} from "../../src/upstream/own_init_page.ts";
import type { PageFeatureStates } from "../../src/upstream/page_features.ts";
import type { Page } from "../../src/upstream/playwright_page.ts";

/** A page of a Playwright that has changed: what it still has is in `members`. */
function changedPage(members: object = {}): Page {
  return { isClosed: () => false, ...members } as unknown as Page;
}

function ports(): {
  warnings: string[];
  notices: ChildNotice[];
  told: PageFeatureStates[];
  ports: InitPagePorts;
} {
  const warnings: string[] = [];
  const notices: ChildNotice[] = [];
  const told: PageFeatureStates[] = [];
  return {
    warnings,
    notices,
    told,
    ports: {
      notify: (notice) => notice.kind === "warning" ? warnings.push(notice.text) : notices.push(notice),
      tell: (states) => told.push({ ...states }),
    },
  };
}

const NO_WATCH: PageWatch = { watch: () => {} };

Deno.test("createInitPage() switches a feature off for good, with one warning, where Playwright has changed", async () => {
  const { warnings, told, ports: given } = ports();
  const initPage = createInitPage([new ConsoleFallback(), new HumanizedInput("default")], NO_WATCH, given);
  await initPage({ page: changedPage({ emit: () => true, on: () => {}, frames: () => [] }) });
  await initPage({ page: changedPage() });
  assert.deepEqual(warnings, [
    "The console fallback is switched off: this version of Playwright has no page.consoleMessages, " +
    "page.clearConsoleMessages",
    "Humanized input is switched off: this version of Playwright has no page.context, page.mainFrame",
  ]);
  assert.deepEqual(told.at(-1), {
    consoleFallback: { active: false, reason: warnings[0]?.split("off: ")[1], switchedOff: true },
    humanize: { active: false, reason: warnings[1]?.split("off: ")[1], switchedOff: true },
  });
});

Deno.test("createInitPage() keeps a feature that fails because the page was closed", async () => {
  const { warnings, ports: given } = ports();
  let calls = 0;
  const feature: PageFeature = {
    name: "humanize",
    title: "A feature",
    apply: () => ++calls === 1 ? Promise.reject(new Error("closed")) : Promise.resolve({ active: true }),
  };
  const initPage = createInitPage([feature], NO_WATCH, given);
  await initPage({ page: changedPage({ isClosed: () => true }) });
  await initPage({ page: changedPage() });
  assert.deepEqual([calls, warnings], [2, []]);
});

Deno.test("createInitPage() tells once that a browser has gone, however many pages it had", async () => {
  const { notices, ports: given } = ports();
  const listeners: (() => void)[] = [];
  const browser = { on: (_event: string, listener: () => void) => listeners.push(listener) };
  const page = (): Page => changedPage({ on: () => {}, context: () => ({ browser: () => browser }) });
  const initPage = createInitPage([], NO_WATCH, given);
  await initPage({ page: page() });
  await initPage({ page: page() });
  for (const listener of listeners) listener();
  assert.equal(notices.filter(({ kind }) => kind === "browser_gone").length, 1);
});

/** Just enough of a page to be humanized, and a package that counts what it is given. */
function countedPackage(): { given: object[]; load: () => Promise<never>; page: (context: object) => Page } {
  const given: object[] = [];
  const act = (): Promise<void> => Promise.resolve();
  const names = ["click", "dblclick", "hover", "tap", "type", "fill", "press", "check", "uncheck", "focus"];
  const methods = Object.fromEntries(
    [...names, "selectOption", "dragAndDrop", "waitForSelector", "move", "down", "up", "wheel", "insertText"]
      .map((name) => [name, act]),
  );
  const take = (owner: object): void => void given.push(owner);
  return {
    given,
    load: () =>
      Promise.resolve(
        { resolveConfig: () => ({}), patchBrowser: take, patchContext: take } as unknown as never,
      ),
    page: (context) => {
      const frame = Object.create(methods);
      const own = { context: () => context, mainFrame: () => frame, frames: () => [frame], on: () => {} };
      const input = { mouse: Object.create(methods), keyboard: Object.create(methods) };
      return { ...own, ...input, isClosed: () => false, _original: {} } as unknown as Page;
    },
  };
}

Deno.test("HumanizedInput gives the package a browser once, and a context without one once", async () => {
  const { given, load, page } = countedPackage();
  const browser = {};
  const [one, other] = [{ browser: () => browser }, { browser: () => browser }];
  const lone = { browser: () => null };
  const feature = new HumanizedInput("careful", load);
  await Promise.all([one, one, other, lone, lone].map((context) => feature.apply(page(context))));
  assert.equal(given.length, 2);
  assert.ok(given[0] === browser && given[1] === lone);
});

Deno.test("createInitPage() tells that nothing is active when the last page is closed", async () => {
  const { told, ports: given } = ports();
  const feature: PageFeature = {
    name: "humanize",
    title: "A feature",
    apply: async () => await { active: true },
  };
  const initPage = createInitPage([feature], NO_WATCH, given);
  const closing: (() => void)[] = [];
  const page = (): Page => changedPage({ on: (_: string, close: () => void) => void closing.push(close) });
  await initPage({ page: page() });
  await initPage({ page: page() });
  closing[0]?.();
  assert.deepEqual(told.at(-1), { humanize: { active: true } });
  closing[1]?.();
  assert.deepEqual(told.at(-1), {});
});

Deno.test("createInitPage() counts open pages, and warns once where downloads cannot be watched", async () => {
  const { warnings, notices, ports: given } = ports();
  const watch: PageWatch = { watch: () => assert.fail("no page.prependListener") };
  const initPage = createInitPage([], watch, given);
  const closing: (() => void)[] = [];
  const page = (): Page => changedPage({ on: (_: string, close: () => void) => void closing.push(close) });
  await initPage({ page: page() });
  await initPage({ page: page() });
  closing[0]?.();
  assert.deepEqual(warnings, ["Downloads are not watched: no page.prependListener"]);
  assert.deepEqual(notices, [1, 2, 1].map((open) => ({ kind: "pages", open })));
});
