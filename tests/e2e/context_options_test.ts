/** What the options of the browser context do to the pages in it. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun } from "./browser_run.ts";
import type { BrowserUser, ToolCaller } from "./browser_user.ts";
import { HttpBrowserRun } from "./http_browser_run.ts";
import { E2E_PAGES } from "./pages.ts";

const SEEN = "({ agent: navigator.userAgent, languages: navigator.languages, zone: " +
  "Intl.DateTimeFormat().resolvedOptions().timeZone, size: [innerWidth, innerHeight], " +
  "dark: matchMedia('(prefers-color-scheme: dark)').matches, touch: 'ontouchstart' in window })";

function seenBy(user: BrowserUser<ToolCaller>): Promise<unknown> {
  return user.evaluate(SEEN);
}

const OPTIONS = {
  userAgent: "of the options",
  locale: "de-AT",
  timezoneId: "Asia/Tokyo",
  viewport: { width: 640, height: 480 },
  colorScheme: "dark",
  hasTouch: true,
  extraHTTPHeaders: { "X-From-Options": "yes" },
};
const SEEN_WITH_OPTIONS = {
  agent: "of the options",
  languages: ["de-AT"],
  zone: "Asia/Tokyo",
  size: [640, 480],
  dark: true,
  touch: true,
};

for (const isolated of [false, true]) {
  Deno.test(`--context-options shapes ${isolated ? "an isolated" : "a persistent"} context, over the user's configuration`, async () => {
    await using site = new LoopbackSite(E2E_PAGES);
    using folder = new BrowserFolder();
    const config = folder.write(
      "mcp.json",
      JSON.stringify({
        browser: { contextOptions: { locale: "fr-FR", viewport: { width: 10, height: 10 } } },
      }),
    );
    const args = ["--config", config, "--context-options", JSON.stringify(OPTIONS)];
    await using run = await BrowserRun.start({ folder, args: [...args, ...isolated ? ["--isolated"] : []] });
    await run.navigate(site.url("/second"));
    assert.deepEqual(await seenBy(run), SEEN_WITH_OPTIONS);
    assert.equal(site.visitsOf("/second").at(-1)?.headers["x-from-options"], "yes");
  });
}

Deno.test("two sessions have contexts of their own, each over that of the operator", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await HttpBrowserRun.start({
    env: { CLOAK_PLAYWRIGHT_MCP_CONTEXT_OPTIONS: JSON.stringify(OPTIONS) },
    args: ["--user-agent", "of the operator"],
  });
  const plain = await run.open();
  const shaped = await run.open({
    contextOptions: {
      userAgent: "of the session",
      timezoneId: "America/Lima",
      viewport: null,
      hasTouch: false,
    },
  });
  for (const user of [plain, shaped]) await user.navigate(site.url("/second"));
  run.http.tree.record();
  assert.deepEqual(await seenBy(plain), { ...SEEN_WITH_OPTIONS, agent: "of the operator" });
  const { size, ...seen } = await shaped.evaluate(SEEN);
  assert.deepEqual(seen, {
    agent: "of the session",
    languages: ["de-AT"],
    zone: "America/Lima",
    dark: true,
    touch: false,
  });
  assert.notDeepEqual(size, [640, 480], "a viewport that is null follows the window");
  for (const user of [plain, shaped]) await user.end();
});
