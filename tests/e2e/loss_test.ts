/** What a client sees when upstream or the browser is killed, and that the next call recovers. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { isRunning, readStat } from "../harness/proc_stat.ts";
import { until } from "../harness/until.ts";
import { ENDS_WITHIN_MS } from "./browser_run.ts";
import { browsing, lost, neverEndingNavigation, upstreamPid } from "./predicaments.ts";

Deno.test("kill -9 of upstream: the running call is answered, the next one starts a fresh browser with the same profile", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  const { answer } = await neverEndingNavigation(run, site);
  const [upstream, browser] = [await upstreamPid(run), run.browser().pid];
  Deno.kill(upstream, "SIGKILL");
  const { result } = await answer;
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /upstream was ended by SIGKILL.*"browser_navigate" was running/s);
  const { state, generation } = (await run.report("cloakbrowser_bridge_info")).upstream;
  assert.deepEqual([state, generation], ["lost", 1], "nothing is started before it is wanted");

  const answers = await Promise.all([
    run.navigate(site.url("/second")),
    run.call("browser_tabs", { action: "list" }),
  ]);
  assert.ok(answers[0].text.includes("- Page Title: Second"));
  assert.equal(
    (await run.report("cloakbrowser_bridge_info")).upstream.generation,
    2,
    "one replacement for both",
  );
  assert.notEqual(run.browser().pid, browser, "the old browser is gone");
  assert.equal(site.visitsOf("/second").length, 1, "forwarded once");
});

Deno.test("kill -9 of upstream while nothing runs: the next call starts a fresh browser", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site, { args: ["--isolated"] });
  Deno.kill(await upstreamPid(run), "SIGKILL");
  await lost(run);
  assert.ok((await run.navigate(site.url("/second"))).text.includes("- Page Title: Second"));
  run.browser();
});

Deno.test("kill -9 of upstream beside a stopped browser: that is killed before a fresh one takes its profile", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  const { pid } = run.browser();
  Deno.kill(-pid, "SIGSTOP");
  Deno.kill(await upstreamPid(run), "SIGKILL");
  await lost(run);
  assert.ok((await run.navigate(site.url("/second"))).text.includes("- Page Title: Second"));
  assert.notEqual(run.browser().pid, pid);
});

Deno.test("kill -9 of the browser: the running call fails in words, the next one gets a fresh browser", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  const { answer } = await neverEndingNavigation(run, site);
  const { pid } = run.browser();
  Deno.kill(pid, "SIGKILL");
  const { result } = await answer;
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /closed|crashed/i);
  const { text } = await run.navigate(site.url("/second"));
  assert.ok(text.includes("- Page Title: Second"));
  assert.match(text, /### Note\nThe browser was started anew .*lost its browser/s);
  assert.notEqual(run.browser().pid, pid);
  assert.equal((await run.report("cloakbrowser_bridge_info")).upstream.generation, 2);
});

Deno.test("kill -9 of the browser: a call that upstream would let wait on is answered, and says what happened", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  const waiting = run.callAnyhow("browser_wait_for", { time: 25 });
  const { pid } = run.browser();
  // Messages are taken in their order, so upstream has the call.
  await run.report("cloakbrowser_bridge_info");
  Deno.kill(pid, "SIGKILL");
  const from = performance.now();
  const { isError, text } = await waiting;
  assert.ok(performance.now() - from < 15_000, "long before its time");
  assert.equal(isError, true);
  assert.match(text, /lost its browser. "browser_wait_for" was running/);
  assert.ok(!(await run.navigate(site.url("/second"))).text.includes("### Note"), "told already");
});

Deno.test("kill -9 of the browser while nothing runs: the next call gets a fresh browser", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  const { pid } = run.browser();
  Deno.kill(pid, "SIGKILL");
  await until("the end of the browser", () => !isRunning(readStat(pid)), ENDS_WITHIN_MS);
  // A call that overtakes the news of the browser's end finds it closed; the one after it must not.
  const hasty = await run.client.callTool("browser_tabs", { action: "list" });
  if (hasty.result.isError === true) assert.match(hasty.result.content[0].text, /closed|lost its browser/);
  assert.ok((await run.navigate(site.url("/second"))).text.includes("- Page Title: Second"));
});
