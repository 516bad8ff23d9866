/** Situations that a server gets into, and how it has to come out of them. */
import assert from "node:assert/strict";
import type { LoopbackSite } from "../harness/loopback_site.ts";
import { readStat } from "../harness/proc_stat.ts";
import type { Message } from "../harness/stdio_client.ts";
import { until } from "../harness/until.ts";
import { BrowserRun, type BrowserRunOptions, ENDS_WITHIN_MS } from "./browser_run.ts";

/** A blocked event loop has used this much CPU, in clock ticks; an idle one uses none. */
const BLOCKED_TICKS = 20;

/** A call that has no answer yet. */
export interface RunningCall {
  /** The whole JSON-RPC answer. */
  readonly answer: Promise<Message>;
}

/** A run whose browser shows a page. */
export async function browsing(site: LoopbackSite, options: BrowserRunOptions = {}): Promise<BrowserRun> {
  const run = await BrowserRun.start(options);
  await run.navigate(site.url("/form"));
  run.tree.record();
  return run;
}

/** Asserts that the server ends in order, and how soon. */
export async function endsInOrder(run: BrowserRun): Promise<void> {
  const status = await run.client.exit(ENDS_WITHIN_MS);
  assert.deepEqual([status.code, status.signal], [0, null], run.client.stderrText);
  await run.assertNothingLeft();
}

/** Kills the server, waits until nothing of it runs, and lets a second one prove that its files go too. */
export async function killedServerLeavesNothing(run: BrowserRun): Promise<void> {
  run.tree.record();
  run.client.signal("SIGKILL");
  await run.client.exit(ENDS_WITHIN_MS);
  run.leavesTemporaryFiles = true;
  await run.assertNothingLeft();
  await using next = await BrowserRun.start({ folder: run.folder });
  await next.client.request("tools/list"); // it is up, not just leaving again
}

/** Process id of upstream, once it is there. */
export async function upstreamPid(run: BrowserRun): Promise<number> {
  const pid = async (): Promise<number> => (await run.report("cloakbrowser_bridge_info")).upstream.pid;
  return await until("the start of upstream", pid, ENDS_WITHIN_MS);
}

/** Waits until the server knows that its upstream is gone. */
export async function lost(run: BrowserRun): Promise<void> {
  const state = async (): Promise<string> => (await run.report("cloakbrowser_bridge_info")).upstream.state;
  await until("the loss of upstream", async () => await state() === "lost", ENDS_WITHIN_MS);
}

/** A call that is at work when this resolves: the site has been asked and will not answer. */
export async function neverEndingNavigation(run: BrowserRun, site: LoopbackSite): Promise<RunningCall> {
  const answer = run.client.callTool("browser_navigate", { url: site.url("/never") }, { withinMs: 30_000 });
  answer.catch(() => {}); // a killed server cannot answer
  await until("the request for the page", () => site.visitsOf("/never").length > 0, 10_000);
  run.tree.record();
  return { answer };
}

/** Code that never gives the event loop of upstream back runs when this resolves. */
export async function blockedUpstream(run: BrowserRun): Promise<RunningCall> {
  const pid = await upstreamPid(run);
  const answer = run.client.callTool("browser_run_code_unsafe", { code: "async () => { for (;;); }" });
  answer.catch(() => {});
  const ticks = (): number => readStat(pid)?.cpuTicks ?? 0;
  const before = ticks();
  await until("a blocked upstream", () => ticks() > before + BLOCKED_TICKS, 15_000);
  run.tree.record();
  return { answer };
}
