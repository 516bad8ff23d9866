/** Features of pages in a Playwright that is not as they know it. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun } from "./browser_run.ts";
import { testBrowserPath } from "./test_browser.ts";

Deno.test("features switch themselves off where Playwright has changed, with one warning each, and tools work", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  // The user's init page runs before ours, in the same process: so it can change Playwright.
  const change = folder.write(
    "change.js",
    `module.exports = { default: ({ page }) => { page.clearConsoleMessages = undefined; page.mouse.wheel = undefined; } };`,
  );
  await using run = await BrowserRun.start({ folder, args: ["--humanize", "--init-page", change] });
  await run.navigate(site.url("/click"));
  await run.click('button "Clicked 0 times"');
  assert.equal(await run.evaluate("count.textContent"), "Clicked 1 times");
  await run.call("browser_tabs", { action: "new" });
  await run.navigate(site.url("/console"));
  const { text } = await run.call("browser_console_messages", { level: "info" });
  assert.ok(text.includes("[LOG] log line 1"), text);
  const reasons = {
    humanize: "this version of Playwright has no page.mouse.wheel",
    consoleFallback: "this version of Playwright has no page.clearConsoleMessages",
  };
  const { humanize, consoleFallback } = await run.report("cloakbrowser_bridge_info");
  const off = { enabled: true, active: false, switchedOff: true };
  assert.deepEqual(humanize, { ...off, reason: reasons.humanize, preset: "default" });
  assert.deepEqual(consoleFallback, { ...off, reason: reasons.consoleFallback });
  const warnings = run.client.stderrText.split("\n").filter((line) => line.includes("is switched off"));
  assert.equal(warnings.length, 2, run.client.stderrText);
  assert.ok(warnings.some((line) => line.includes(`Humanized input is switched off: ${reasons.humanize}`)));
});

Deno.test("features are off with the Playwright engine, and that is said", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({
    args: [
      "--humanize",
      "--browser-engine",
      "playwright",
      "--executable-path",
      await testBrowserPath(),
      "--no-sandbox",
    ],
    browser: false,
  });
  await run.navigate(site.url("/click"));
  await run.click('button "Clicked 0 times"');
  const reason = "the browser is left to Playwright MCP";
  const { humanize, consoleFallback } = await run.report("cloakbrowser_bridge_info");
  assert.deepEqual(humanize, { enabled: true, active: false, reason, preset: "default" });
  assert.deepEqual(consoleFallback, { enabled: true, active: false, reason });
  assert.match(run.client.stderrText, /humanized input has no effect/);
});
