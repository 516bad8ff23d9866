/**
 * How a server with a real browser ends: stdio-1 and the stdio row of stdio-4, and worse. Every run proves that
 * neither a process nor a temporary file is left, within five seconds.
 */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { isRunning, readStat } from "../harness/proc_stat.ts";
import { until } from "../harness/until.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun, type BrowserRunOptions, ENDS_WITHIN_MS } from "./browser_run.ts";

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
/** A blocked event loop has used this much CPU, in clock ticks; an idle one uses none. */
const BLOCKED_TICKS = 20;

/** A run whose browser shows a page. */
async function browsing(site: LoopbackSite, options: BrowserRunOptions = {}): Promise<BrowserRun> {
  const run = await BrowserRun.start(options);
  await run.navigate(site.url("/form"));
  run.tree.record();
  return run;
}

/** Asserts that the server ends in order, and how soon. */
async function endsInOrder(run: BrowserRun): Promise<void> {
  const status = await run.client.exit(ENDS_WITHIN_MS);
  assert.deepEqual([status.code, status.signal], [0, null], run.client.stderrText);
  await run.assertNothingLeft();
}

/** Kills the server, waits until nothing of it runs, and lets a second one prove that its files go too. */
async function killedServerLeavesNothing(run: BrowserRun): Promise<void> {
  run.tree.record();
  run.client.signal("SIGKILL");
  await run.client.exit(ENDS_WITHIN_MS);
  run.leavesTemporaryFiles = true;
  await run.assertNothingLeft();
  await using _next = await BrowserRun.start({ folder: run.folder });
}

async function upstreamPid(run: BrowserRun): Promise<number> {
  const { pid } = (await run.report("cloakbrowser_bridge_info")).upstream;
  assert.ok(pid > 0);
  return pid;
}

/** A call that is at work when this resolves: the site has been asked and will not answer. */
async function neverEndingNavigation(
  run: BrowserRun,
  site: LoopbackSite,
): Promise<ReturnType<BrowserRun["client"]["callTool"]>[]> {
  const call = run.client.callTool("browser_navigate", { url: site.url("/never") }, { withinMs: 30_000 });
  call.catch(() => {}); // a killed server cannot answer
  await until("the request for the page", () => site.visitsOf("/never").length > 0, 10_000);
  run.tree.record();
  return [call];
}

/** Code that never gives the event loop of upstream back runs when this resolves. */
async function blockedUpstream(run: BrowserRun): Promise<ReturnType<BrowserRun["client"]["callTool"]>[]> {
  const pid = await upstreamPid(run);
  const call = run.client.callTool("browser_run_code_unsafe", { code: "async () => { for (;;); }" });
  call.catch(() => {});
  const ticks = (): number => readStat(pid)?.cpuTicks ?? 0;
  const before = ticks();
  await until("a blocked upstream", () => ticks() > before + BLOCKED_TICKS, 15_000);
  run.tree.record();
  return [call];
}

Deno.test("stdio-1 end of input closes browser and server, and the temporary profile goes", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site, { args: ["--isolated"] });
  await run.client.closeStdin();
  await endsInOrder(run);
  assert.equal(run.client.stderrText, "", "an ordinary session says nothing");
});

for (const signal of SIGNALS) {
  Deno.test(`stdio-4 ${signal} to the server ends everything with exit status 0`, async () => {
    await using site = new LoopbackSite();
    await using run = await browsing(site);
    run.client.signal(signal);
    await endsInOrder(run);
  });

  Deno.test(`${signal} in the middle of a navigation that never ends answers the call and ends everything`, async () => {
    await using site = new LoopbackSite();
    await using run = await browsing(site);
    const [call] = await neverEndingNavigation(run, site);
    run.client.signal(signal);
    await endsInOrder(run);
    const { result } = await call;
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /shutting down/);
  });
}

Deno.test("stdio-4 SIGKILL of the server takes browser and upstream with it", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  await killedServerLeavesNothing(run);
});

Deno.test("SIGKILL of the server in the middle of a navigation leaves nothing", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  await neverEndingNavigation(run, site);
  await killedServerLeavesNothing(run);
});

Deno.test("end of input in the middle of a navigation waits for it a little, then ends everything", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  const [call] = await neverEndingNavigation(run, site);
  await run.client.closeStdin();
  await endsInOrder(run);
  assert.equal((await call).result.isError, true);
});

Deno.test("a client that closes its read ends is left in order", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  await run.client.closeOutput();
  await run.client.send({ jsonrpc: "2.0", id: 100, method: "ping" });
  await endsInOrder(run);
});

Deno.test("kill -9 of upstream: the running call is answered, the next one starts a fresh browser with the same profile", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  const [call] = await neverEndingNavigation(run, site);
  const [upstream, browser] = [await upstreamPid(run), run.browser().pid];
  Deno.kill(upstream, "SIGKILL");
  const { result } = await call;
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /upstream was ended by SIGKILL.*"browser_navigate" was running/s);
  const lost = (await run.report("cloakbrowser_bridge_info")).upstream;
  assert.deepEqual([lost.state, lost.generation], ["lost", 1], "nothing is started before it is wanted");

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
  await until("the loss", async () => {
    return (await run.report("cloakbrowser_bridge_info")).upstream.state === "lost";
  }, ENDS_WITHIN_MS);
  assert.ok((await run.navigate(site.url("/second"))).text.includes("- Page Title: Second"));
  run.browser();
});

Deno.test("kill -9 of the browser: the running call fails in words, the next one gets a fresh browser", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  const [call] = await neverEndingNavigation(run, site);
  const { pid } = run.browser();
  Deno.kill(pid, "SIGKILL");
  const { result } = await call;
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /closed|crashed/i);
  assert.ok((await run.navigate(site.url("/second"))).text.includes("- Page Title: Second"));
  assert.notEqual(run.browser().pid, pid);
  assert.equal(
    (await run.report("cloakbrowser_bridge_info")).upstream.generation,
    1,
    "upstream has lived on",
  );
});

Deno.test("kill -9 of the browser while nothing runs: the next call gets a fresh browser", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  const { pid } = run.browser();
  Deno.kill(pid, "SIGKILL");
  await until("the end of the browser", () => !isRunning(readStat(pid)), ENDS_WITHIN_MS);
  // A call that overtakes the news of the browser's end finds it closed; the one after it must not.
  const hasty = await run.client.callTool("browser_tabs", { action: "list" });
  if (hasty.result.isError === true) assert.match(hasty.result.content[0].text, /closed/);
  assert.ok((await run.navigate(site.url("/second"))).text.includes("- Page Title: Second"));
});

Deno.test("a stopped browser is killed when the server gets SIGTERM", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  Deno.kill(-run.browser().pid, "SIGSTOP");
  run.client.signal("SIGTERM");
  await endsInOrder(run);
});

Deno.test("a stopped browser is killed when the input ends", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  Deno.kill(-run.browser().pid, "SIGSTOP");
  await run.client.closeStdin();
  await endsInOrder(run);
});

Deno.test("a stopped browser is killed although the server is killed", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  Deno.kill(-run.browser().pid, "SIGSTOP");
  await killedServerLeavesNothing(run);
});

Deno.test("a second SIGTERM kills a stopped browser at once, with exit status 143", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site, { args: ["--log-level", "info"] });
  Deno.kill(-run.browser().pid, "SIGSTOP");
  run.client.signal("SIGTERM");
  await until("the first signal's effect", () => run.client.stderrText.includes("got SIGTERM"), 2_000);
  run.client.signal("SIGTERM");
  const status = await run.client.exit(2_000);
  assert.equal(status.code, 143);
  run.leavesTemporaryFiles = true; // as long as nobody else starts
  await run.assertNothingLeft();
});

Deno.test("a stopped upstream is killed with its browser when the server gets SIGTERM", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  Deno.kill(await upstreamPid(run), "SIGSTOP");
  run.client.signal("SIGTERM");
  await endsInOrder(run);
});

Deno.test("a blocked upstream is killed when the server gets SIGTERM, and the call is answered", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  const [call] = await blockedUpstream(run);
  run.client.signal("SIGTERM");
  await endsInOrder(run);
  assert.equal((await call).result.isError, true);
});

Deno.test("a blocked upstream ends although the server is killed", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  await blockedUpstream(run);
  await killedServerLeavesNothing(run);
});

Deno.test("a signal while the browser starts leaves nothing behind", async () => {
  await using run = await BrowserRun.start();
  const call = run.client.callTool("browser_navigate", { url: "about:blank" });
  const upstream = await upstreamPid(run);
  await until(
    "a browser that starts",
    () => run.tree.record().some((stat) => stat.parent === upstream),
    15_000,
  );
  run.client.signal("SIGTERM");
  await endsInOrder(run);
  await call.catch(() => {}); // answered, or not: it may have been quicker than the signal
});

Deno.test("two servers of one workspace: the second says that the profile is in use, and the first goes on", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  await using first = await browsing(site, { folder });
  {
    await using second = await BrowserRun.start({ folder });
    second.sharesFolder = true;
    const { text } = await second.callFailing("browser_navigate", { url: site.url("/second") });
    assert.match(text, /already in use/);
  }
  assert.ok((await first.navigate(site.url("/second"))).text.includes("- Page Title: Second"));
});
