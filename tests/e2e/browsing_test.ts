/** Getting from page to page, in one tab and in several. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserRun } from "./browser_run.ts";
import { E2E_PAGES } from "./pages.ts";

Deno.test("browser_navigate opens a page and browser_snapshot tells what is on it", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  const { text } = await run.navigate(site.url("/form"));
  assert.ok(text.includes(`- Page URL: ${site.url("/form")}`), text);
  assert.ok(text.includes("- Page Title: Form"), text);
  const snapshot = await run.snapshot();
  for (const role of ['textbox "Name"', 'checkbox "Agree"', 'radio "Large"', 'button "Send"']) {
    assert.ok(snapshot.includes(role), snapshot);
  }
  assert.equal(site.visitsOf("/form").length, 1, "the page was asked for once");
});

Deno.test("browser_navigate follows redirects and tells the address it came to", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  const { text } = await run.navigate(site.url("/redirect"));
  assert.ok(text.includes(`- Page URL: ${site.url("/second")}`), text);
});

Deno.test("browser_navigate to a port where nobody listens is a tool error, and the next one works", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  const { text } = await run.callFailing("browser_navigate", { url: `http://127.0.0.1:${unusedPort()}/` });
  assert.match(text, /ERR_CONNECTION_REFUSED/);
  // The browser's error page comes after the answer, and would interrupt the next navigation.
  await run.call("browser_wait_for", { text: "ERR_CONNECTION_REFUSED" });
  await run.navigate(site.url("/"));
  assert.equal(
    (await run.report("cloakbrowser_bridge_info")).upstream.generation,
    1,
    "no replacement was needed",
  );
});

Deno.test("browser_click follows a link and browser_navigate_back returns", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/"));
  assert.ok((await run.click('link "Form"')).text.includes("- Page Title: Form"));
  assert.ok((await run.call("browser_navigate_back")).text.includes("- Page Title: Home"));
});

Deno.test("browser_tabs opens, lists, selects and closes tabs", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/tabs"));
  const opened = await run.click('link "Open second"');
  assert.match(opened.text, /\(current\) \[Tabs\]/, opened.text);
  const named = await run.call("browser_tabs", { action: "new", url: site.url("/form") });
  assert.match(named.text, /- 2: \(current\) \[Form\]/, named.text);
  const selected = await run.call("browser_tabs", { action: "select", index: 1 });
  assert.match(selected.text, /- 1: \(current\) \[Second\]/, selected.text);
  assert.ok((await run.snapshot()).includes('heading "Second page"'));
  await run.call("browser_tabs", { action: "close", index: 2 });
  const { text } = await run.call("browser_tabs", { action: "list" });
  assert.equal(text.match(/^- \d:/gm)?.length, 2, text);
});

Deno.test("browser_wait_for waits for a text to come and for one to go", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/click"));
  await run.click('button "Show later"');
  await run.call("browser_wait_for", { text: "Now it is here" });
  assert.ok((await run.snapshot()).includes("Now it is here"));
  await run.navigate(site.url("/fading"));
  await run.click('button "Fade"');
  await run.call("browser_wait_for", { textGone: "Old text" });
  assert.ok((await run.snapshot()).includes("New text"));
});

Deno.test("browser_resize sets the size of the page", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/"));
  await run.call("browser_resize", { width: 500, height: 400 });
  assert.deepEqual(await run.evaluate("[innerWidth, innerHeight]"), [500, 400]);
});

Deno.test("browser_close ends the browser, and the next call starts another in the same generation", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/form"));
  const first = run.browser();
  await run.call("browser_close");
  assert.ok((await run.navigate(site.url("/second"))).text.includes("- Page Title: Second"));
  assert.notEqual(run.browser().pid, first.pid);
  assert.equal((await run.report("cloakbrowser_bridge_info")).upstream.generation, 1);
});

Deno.test("tools/list and the local tools start no browser", async () => {
  await using run = await BrowserRun.start();
  const { result } = await run.client.request("tools/list");
  const names = result.tools.map((tool: { name: string }) => tool.name);
  assert.ok(names.includes("browser_navigate") && names.includes("cloakbrowser_binary_info"), names.join());
  await run.report("cloakbrowser_binary_info");
  await run.report("cloakbrowser_bridge_info");
  assert.equal(run.tree.record().length, 2, "bridge and upstream, no browser");
});

/** A port that was free a moment ago. */
function unusedPort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
