/**
 * How an HTTP server whose sessions have real browsers ends: the HTTP row of stdio-4, and worse. Every run proves that
 * neither a process, nor a temporary file, nor the listening socket is left.
 */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { readStat } from "../harness/proc_stat.ts";
import { until } from "../harness/until.ts";
import { BrowserFolder } from "../e2e/browser_folder.ts";
import { HttpBrowserRun, type HttpUser, NOTHING_LEFT_WITHIN_MS } from "../e2e/http_browser_run.ts";

const SESSIONS = 3;

/** A second signal waits for nothing but the killing. */
const AT_ONCE_MS = 2_000;

/** A blocked event loop has used this much CPU, in clock ticks; an idle one uses none. */
const BLOCKED_TICKS = 20;

function pages(site: LoopbackSite): string[] {
  return Array.from({ length: SESSIONS }, () => site.url("/form"));
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  Deno.test(`stdio-4 ${signal} to an HTTP server with three browsers ends everything with exit status 0`, async () => {
    await using site = new LoopbackSite();
    await using run = await HttpBrowserRun.start();
    await run.browsing(pages(site));
    assert.ok(run.http.tree.running().length > 3 * SESSIONS, "server, upstreams and browsers with helpers");
    run.http.signal(signal);
    const status = await run.http.exit(NOTHING_LEFT_WITHIN_MS);
    assert.deepEqual([status.code, status.signal], [0, null], run.http.stderr);
    await run.assertNoProcessLeft();
  });
}

Deno.test("stdio-4 SIGKILL of an HTTP server takes three browsers with it, and the next start removes their files", async (t) => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  await using killed = await HttpBrowserRun.start({ folder });
  await killed.browsing(pages(site));
  killed.http.leavesTemporaryFiles = true;
  killed.http.signal("SIGKILL");
  await killed.http.exit(NOTHING_LEFT_WITHIN_MS);
  await killed.assertNoProcessLeft();
  await t.step("directories of the dead are there", () => {
    assert.equal(folder.temporaryDirectories().length, SESSIONS);
  });
  await t.step("the next start removes them, and serves", async () => {
    await using next = await HttpBrowserRun.start({ folder });
    await until("the sweep", () => folder.temporaryDirectories().length === 0, NOTHING_LEFT_WITHIN_MS);
    const [user] = await next.browsing([site.url("/form")]);
    assert.match(await user?.snapshot() ?? "", /textbox "Name"/);
  });
});

Deno.test("a second signal while the drain hangs ends server, upstreams and browsers", async () => {
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start();
  const [waiting, blocked, stopped] = await run.browsing(pages(site));
  assert.ok(waiting && blocked && stopped);
  const calls = [
    waiting.callAnyhow("browser_navigate", { url: site.url("/never") }),
    ...await block(blocked),
  ];
  calls[0]?.catch(() => {}); // as below
  await until("the request for the page", () => site.visitsOf("/never").length > 0, NOTHING_LEFT_WITHIN_MS);
  // Neither its upstream nor the browser itself could end this one.
  for (const user of [blocked, stopped]) Deno.kill(-(await user.browser()).pid, "SIGSTOP");
  run.http.tree.record();
  run.http.leavesTemporaryFiles = true; // as long as nobody else starts
  run.http.signal("SIGTERM");
  await until("the first signal's effect", () => run.http.stderr.includes("got SIGTERM"), AT_ONCE_MS);
  run.http.signal("SIGTERM");
  assert.equal((await run.http.exit(AT_ONCE_MS)).code, 143);
  await run.assertNoProcessLeft();
  // Answered, or their connections closed; never left hanging.
  await Promise.allSettled(calls);
});

Deno.test("DELETE ends a session whatever its browser does, and the next one goes on", async (t) => {
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start();
  const [other] = await run.browsing([site.url("/form")]);
  assert.ok(other);
  const kept = run.http.tree.running().length;
  const endsWith = async (user: HttpUser, call: Promise<unknown>): Promise<void> => {
    run.http.tree.record();
    assert.equal(await user.client.end(), 200);
    await call;
    run.http.tree.record();
    await until("its processes gone", () => run.http.tree.running().length <= kept, NOTHING_LEFT_WITHIN_MS);
    assert.equal(run.folder.temporaryDirectories().length, 1);
  };
  await t.step("it is just starting", async () => {
    const user = await run.open();
    const upstream = await user.upstreamPid();
    const call = user.callAnyhow("browser_navigate", { url: site.url("/second") });
    await until(
      "a browser that starts",
      () => run.http.tree.record().some(({ parent }) => parent === upstream),
      NOTHING_LEFT_WITHIN_MS,
    );
    await endsWith(user, call);
  });
  await t.step("it waits for a page", async () => {
    const user = await run.open();
    const call = user.callFailing("browser_navigate", { url: site.url("/never") });
    await until("the request", () => site.visitsOf("/never").length > 0, NOTHING_LEFT_WITHIN_MS);
    await endsWith(user, call);
  });
  await t.step("it is stopped", async () => {
    const [user] = await run.browsing([site.url("/second")]);
    assert.ok(user);
    Deno.kill(-(await user.browser()).pid, "SIGSTOP");
    await endsWith(user, Promise.resolve());
  });
  assert.match(await other.snapshot(), /textbox "Name"/);
});

/** Keeps the event loop of a session's upstream busy for ever; resolves with the call when it is. */
async function block(user: HttpUser): Promise<Promise<unknown>[]> {
  const pid = await user.upstreamPid();
  const ticks = (): number => readStat(pid)?.cpuTicks ?? 0;
  const before = ticks();
  const call = user.callAnyhow("browser_run_code_unsafe", { code: "async () => { for (;;); }" });
  call.catch(() => {}); // a server that ends at once answers nobody
  await until("a blocked upstream", () => ticks() > before + BLOCKED_TICKS, NOTHING_LEFT_WITHIN_MS);
  return [call];
}
