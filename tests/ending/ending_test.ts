/**
 * How a server with a real browser ends: stdio-1 and the stdio row of stdio-4, and worse. Every run proves that
 * neither a process nor a temporary file is left, within five seconds.
 */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { until } from "../harness/until.ts";
import { BrowserFolder } from "../e2e/browser_folder.ts";
import { BrowserRun, ENDS_WITHIN_MS } from "../e2e/browser_run.ts";
import {
  blockedUpstream,
  browsing,
  endsInOrder,
  killedServerLeavesNothing,
  neverEndingNavigation,
  upstreamPid,
} from "../e2e/predicaments.ts";

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

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
    const { answer } = await neverEndingNavigation(run, site);
    run.client.signal(signal);
    await endsInOrder(run);
    const { result } = await answer;
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
  const { answer } = await neverEndingNavigation(run, site);
  await run.client.closeStdin();
  await endsInOrder(run);
  assert.equal((await answer).result.isError, true);
});

Deno.test("a client that closes its read ends is left in order", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  await run.client.closeOutput();
  let id = 100;
  // A server learns of it by an answer that nobody takes. The first may still find the pipe open.
  await until("the end", async () => {
    await run.client.send({ jsonrpc: "2.0", id: id++, method: "ping" }).catch(() => {});
    return run.client.status !== undefined;
  }, ENDS_WITHIN_MS);
  await endsInOrder(run);
});

Deno.test("a client that dies is left in order", async () => {
  await using site = new LoopbackSite();
  await using run = await browsing(site);
  await Promise.all([run.client.closeStdin(), run.client.closeOutput()]);
  await endsInOrder(run);
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
  const { answer } = await blockedUpstream(run);
  run.client.signal("SIGTERM");
  await endsInOrder(run);
  assert.equal((await answer).result.isError, true);
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

Deno.test("clients that go before upstream is up leave nothing behind", async () => {
  using folder = new BrowserFolder();
  for (let turn = 0; turn < 10; turn++) {
    await using run = await BrowserRun.start({ folder });
    await run.client.closeStdin();
    await endsInOrder(run);
  }
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
