/** Options that shape what the tools answer. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserRun } from "./browser_run.ts";
import { HttpBrowserRun } from "./http_browser_run.ts";
import { E2E_PAGES } from "./pages.ts";

Deno.test("PLAYWRIGHT_MCP_SNAPSHOT_BOXES puts boxes into snapshots, --codegen chooses the language", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await BrowserRun.start({
    args: ["--codegen", "python"],
    env: { PLAYWRIGHT_MCP_SNAPSHOT_BOXES: "true" },
  });
  const { text } = await run.navigate(site.url("/second"));
  assert.match(text, /```python\npage\.goto\(/);
  assert.match(await run.snapshot(), /\[box=-?\d+,-?\d+,\d+,\d+\]/);
});

Deno.test("a session chooses its own language", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await HttpBrowserRun.start({ env: { PLAYWRIGHT_MCP_CODEGEN: "java" } });
  const [java, none] = [await run.open(), await run.open({ codegen: "none" })];
  assert.match((await java.navigate(site.url("/second"))).text, /page\.navigate\(/);
  assert.doesNotMatch((await none.navigate(site.url("/second"))).text, /page\.\w+\(/);
  run.http.tree.record();
  for (const user of [java, none]) await user.end();
});
