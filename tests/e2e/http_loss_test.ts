/** Faults in one of several sessions with real browsers: it is told and recovers, the others notice nothing. */
import assert from "node:assert/strict";
import { EventReader } from "../harness/event_reader.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { until } from "../harness/until.ts";
import { HttpBrowserRun, type HttpUser, NOTHING_LEFT_WITHIN_MS } from "./http_browser_run.ts";
import { ToolResult } from "./tool_result.ts";

/** Browses until told to stop; resolves with how many pages it saw, all of them right. */
async function browseOn(user: HttpUser, site: LoopbackSite, going: () => boolean): Promise<number> {
  let pages = 0;
  do {
    await user.navigate(site.url("/second"));
    assert.match(await user.snapshot(), /heading "Second page"/);
    pages++;
  } while (going());
  return pages;
}

/** The response to a navigation that is at work: the site has been asked and will not answer. */
async function neverEnding(user: HttpUser, site: LoopbackSite, signal?: AbortSignal): Promise<Response> {
  const asked = site.visitsOf("/never").length;
  const response = user.client.fetch("POST", {
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "never",
      method: "tools/call",
      params: { name: "browser_navigate", arguments: { url: site.url("/never") } },
    }),
    ...(signal === undefined ? {} : { signal }),
  });
  await until("the request", () => site.visitsOf("/never").length > asked, NOTHING_LEFT_WITHIN_MS);
  return await response;
}

/** Text of the tool error that ends a response. */
async function errorOf(response: Response): Promise<string> {
  const answer = JSON.parse((await new EventReader(response).rest()).at(-1)?.data ?? "null");
  const result = new ToolResult(answer);
  assert.equal(result.isError, true, result.text);
  return result.text;
}

Deno.test("kill -9 of a browser and of an upstream while three sessions browse", async (t) => {
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start();
  const [hit, struck, other] = await run.browsing([
    site.url("/form"),
    site.url("/click"),
    site.url("/second"),
  ]);
  assert.ok(hit && struck && other);
  const [otherBrowser, otherUpstream] = [(await other.browser()).pid, await other.upstreamPid()];
  let going = true;
  const elsewhere = browseOn(other, site, () => going);
  await t.step("browser: the running call fails in words, the next one has a fresh browser", async () => {
    const { pid } = await hit.browser();
    const call = await neverEnding(hit, site);
    Deno.kill(pid, "SIGKILL");
    assert.match(await errorOf(call), /closed|crashed/i);
    assert.match((await hit.navigate(site.url("/second"))).text, /Page Title: Second/);
    assert.notEqual((await hit.browser()).pid, pid);
    assert.equal((await hit.report("cloakbrowser_bridge_info")).upstream.generation, 2);
  });
  await t.step("upstream: the running call is answered, the next one has a fresh pair", async () => {
    const [pid, browser] = [await struck.upstreamPid(), await struck.browser()];
    const call = await neverEnding(struck, site);
    Deno.kill(pid, "SIGKILL");
    assert.match(await errorOf(call), /ended by SIGKILL/);
    assert.match((await struck.navigate(site.url("/second"))).text, /Page Title: Second/);
    assert.notEqual(await struck.upstreamPid(), pid);
    assert.notEqual((await struck.browser()).pid, browser.pid);
    assert.equal((await struck.report("cloakbrowser_bridge_info")).upstream.generation, 2);
  });
  await t.step("the third has its browser, upstream and pages all along", async () => {
    going = false;
    assert.ok(await elsewhere > 0);
    assert.equal((await other.browser()).pid, otherBrowser);
    assert.equal(await other.upstreamPid(), otherUpstream);
    assert.equal((await other.report("cloakbrowser_bridge_info")).upstream.generation, 1);
  });
});

Deno.test("a client that disconnects in the middle of a call keeps its session, and nobody else notices", async (t) => {
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start();
  const [leaving, staying] = await run.browsing([site.url("/form"), site.url("/second")]);
  assert.ok(leaving && staying);
  const browser = (await leaving.browser()).pid;
  let going = true;
  const elsewhere = browseOn(staying, site, () => going);
  const gone = new AbortController();
  const response = await neverEnding(leaving, site, gone.signal);
  gone.abort();
  await response.text().catch(() => {}); // cut off
  await t.step("its next call is answered by the same browser", async () => {
    assert.match((await leaving.call("browser_tabs", { action: "list" })).text, /- 0:/);
    assert.equal((await leaving.browser()).pid, browser);
  });
  await t.step("the other one went on", async () => {
    going = false;
    assert.ok(await elsewhere > 0);
  });
});

Deno.test("SIGTERM while three sessions browse: every call is answered or its connection closed", async () => {
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start();
  const users = await run.browsing(["/form", "/second", "/click"].map((path) => site.url(path)));
  let pages = 0;
  const loads = users.map((user) =>
    browseOn(user, site, () => {
      pages++;
      return true;
    }).catch((error) => String(error))
  );
  const never = await neverEnding(await run.open(), site);
  await until("a page of each", () => pages >= users.length, NOTHING_LEFT_WITHIN_MS);
  const answered = errorOf(never);
  run.http.tree.record();
  run.http.signal("SIGTERM");
  assert.equal((await run.http.exit(NOTHING_LEFT_WITHIN_MS)).code, 0);
  for (const end of await Promise.all(loads)) {
    assert.match(String(end), /shutting down|error sending request|connection|closed/i);
  }
  assert.match(await answered, /shutting down/);
  await run.assertNoProcessLeft();
});
