/** Browsers that may not serve for ever: replaced between two calls, and the agent is told. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { until } from "../harness/until.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun } from "./browser_run.ts";
import { E2E_PAGES } from "./pages.ts";

const WITHIN_MS = 10_000;

async function generationOf(run: BrowserRun): Promise<number> {
  return (await run.report("cloakbrowser_bridge_info")).upstream.generation;
}

Deno.test("--browser-max-age replaces the browser between two calls, and keeps what its profile keeps", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  using folder = new BrowserFolder();
  const args = ["--browser-max-age", "1", "--user-data-dir", `${folder.path}/profile`];
  await using run = await BrowserRun.start({ folder, args });
  const first = await run.navigate(site.url("/visits"));
  assert.ok(!first.text.includes("### Note"), "nothing was lost yet");
  const old = run.browser();
  run.tree.record();
  const second = await run.navigate(site.url("/visits"));
  assert.match(second.text, /### Note\nThe browser was started anew .*--browser-max-age.*Navigate again/s);
  assert.notEqual(run.browser().pid, old.pid);
  assert.equal(await generationOf(run), 2);
  assert.match(site.visitsOf("/visits").at(-1)?.headers["cookie"] ?? "", /visits=1/);
});

Deno.test("--browser-max-memory replaces a browser that holds more, never under a call that runs", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: ["--browser-max-memory", "1"] });
  await run.navigate(site.url("/form"));
  run.tree.record();
  // What a browser holds is looked at after the call that was just answered.
  await until("over the limit", async () => {
    await run.callAnyhow("browser_evaluate", { function: "() => location.href" });
    run.tree.record();
    return await generationOf(run) === 2;
  }, WITHIN_MS);
  assert.equal(await run.evaluate("location.href"), "about:blank");
});

Deno.test("a call that runs keeps its browser, whatever limit it is over, and others join it", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: ["--max-pages", "1"] });
  await run.navigate(site.url("/form"));
  run.tree.record();
  const code = `async (page) => {
    await page.evaluate(() => { open("/second"); });
    await page.waitForFunction(() => globalThis.joined);
  }`;
  const running = run.call("browser_run_code_unsafe", { code });
  await until("its second page", () => site.visitsOf("/second").length > 0, WITHIN_MS);
  const joined = await run.call("browser_evaluate", { function: "() => { globalThis.joined = true; }" });
  for (const { text } of [await running, joined]) assert.ok(!text.includes("### Note"), text);
  assert.equal(await generationOf(run), 1);
  assert.match((await run.call("browser_evaluate", { function: "() => 1" })).text, /### Note/);
  assert.equal(await generationOf(run), 2);
});

Deno.test("a browser that was lost between two calls is told to the agent with the next result", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/form"));
  run.tree.record();
  Deno.kill((await run.report("cloakbrowser_bridge_info")).upstream.pid, "SIGKILL");
  await until("the loss", async () => {
    return (await run.report("cloakbrowser_bridge_info")).upstream.state === "lost";
  }, WITHIN_MS);
  const stale = await run.callAnyhow("browser_click", { element: "Send", target: "e7" });
  assert.equal(stale.isError, true);
  assert.match(stale.text, /### Note\nThe browser was started anew .*SIGKILL/s);
  assert.ok(!(await run.navigate(site.url("/form"))).text.includes("### Note"), "once");
});

Deno.test("after browser_close nobody is told what they did themselves", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: ["--cdp-enabled", "--cdp-port-range", "19379-19389"] });
  await run.navigate(site.url("/form"));
  run.tree.record();
  await run.call("browser_close");
  assert.ok(!(await run.navigate(site.url("/form"))).text.includes("### Note"));
  run.tree.record();
});

Deno.test("--max-pages replaces a browser with too many pages open, popups included", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: ["--max-pages", "2"] });
  await run.navigate(site.url("/form"));
  run.tree.record();
  await run.call("browser_tabs", { action: "new" });
  assert.ok(!(await run.navigate(site.url("/second"))).text.includes("### Note"), "as many as are allowed");
  await run.call("browser_run_code_unsafe", {
    code:
      "async (page) => { await Promise.all([page.waitForEvent('popup'), page.evaluate(() => { open() })]); }",
  });
  const { text } = await run.navigate(site.url("/form"));
  assert.match(
    text,
    /### Note\nThe browser was started anew .* had 3 pages open, more than the 2 of --max-pages/,
  );
  assert.equal(await generationOf(run), 2);
  run.tree.record();
});
