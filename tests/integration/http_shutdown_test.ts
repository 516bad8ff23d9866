/** Ends: of the server while calls run, of a child under its session, and of the server without warning. */
import assert from "node:assert/strict";
import { type HttpClient, initializeParams } from "../harness/http_client.ts";
import { HttpRun } from "../harness/http_run.ts";
import { readStat } from "../harness/proc_stat.ts";
import { until } from "../harness/until.ts";

/** Grace of the product, with room for a busy machine. */
const ENDED_WITHIN_MS = 7_000;
const AT_ONCE_MS = 2_000;

Deno.test("SIGTERM lets running calls finish and takes no new ones", async (t) => {
  await using run = await HttpRun.start();
  const [one, two] = [await run.open(), await run.open()];
  const listener = await one.listen();
  const calls = [one, two].map((client) => client.callTool("slow", { ms: 1_200 }));
  await run.log.called("slow", 2);
  run.signal("SIGTERM");
  await until("draining", async () => (await run.get("/readyz")).status === 503, AT_ONCE_MS);
  await t.step("still alive, not ready", async () => assert.equal((await run.get("/healthz")).status, 200));
  await t.step("no new session", async () => {
    const response = await run.client().post({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: initializeParams(),
    });
    assert.equal(response.status, 503);
    assert.match(response.headers.get("retry-after") ?? "", /^\d+$/);
    await response.body?.cancel();
  });
  await t.step("no new call", async () => {
    assert.match((await two.callTool("browser_snapshot")).error.message, /shutting down/);
  });
  await t.step("the calls are answered", async () => {
    for (const answer of await Promise.all(calls)) {
      assert.equal(answer.result.content[0].text, "slept 1200 ms");
    }
  });
  await t.step("the GET stream ends", async () => assert.deepEqual(await listener.rest(), []));
  await t.step("exit status 0", async () => assert.equal((await run.exit(ENDED_WITHIN_MS)).code, 0));
});

Deno.test("SIGTERM does not wait for ever, and answers what will not finish", async () => {
  await using run = await HttpRun.start();
  const clients = [await run.open(), await run.open(), await run.open()];
  const calls = clients.flatMap((
    client,
  ) => [client.callTool("never"), client.callTool("slow", { ms: 60_000 })]);
  await run.log.called("slow", 3);
  const from = performance.now();
  run.signal("SIGTERM");
  for (const answer of await Promise.all(calls)) assert.equal(answer.result.isError, true);
  assert.equal((await run.exit(ENDED_WITHIN_MS)).code, 0);
  assert.ok(performance.now() - from < ENDED_WITHIN_MS);
});

Deno.test("SIGTERM while sessions are being opened leaves nothing", async () => {
  await using run = await HttpRun.start({
    fake: ["--initialize-delay", "500"],
    args: ["--http-warm-spares", "2"],
  });
  const opening = Array.from(
    { length: 6 },
    () => run.client().request("initialize", initializeParams()).catch(() => undefined),
  );
  await until("the first child", () => run.log.pids().length > 0, 5_000);
  run.tree.record();
  run.signal("SIGTERM");
  run.tree.record();
  assert.equal((await run.exit(ENDED_WITHIN_MS + 2_000)).code, 0);
  await Promise.all(opening);
});

Deno.test("a second signal ends the server at once, and nothing of it is left", async () => {
  await using run = await HttpRun.start();
  const client = await run.open();
  const call = client.callTool("never").catch(() => "closed");
  await run.log.called("never");
  run.tree.record();
  run.leavesTemporaryFiles = true;
  run.signal("SIGTERM");
  await until("draining", async () => (await run.get("/readyz")).status === 503, AT_ONCE_MS);
  const from = performance.now();
  run.signal("SIGINT");
  assert.equal((await run.exit(AT_ONCE_MS)).code, 130);
  assert.ok(performance.now() - from < AT_ONCE_MS);
  await call;
});

Deno.test("kill -9 of one session's child disturbs no other, and the session recovers", async (t) => {
  await using run = await HttpRun.start();
  const [hit, other] = [await run.open(), await run.open()];
  const [pid, otherPid] = [await run.childOf(hit), await run.childOf(other)];
  const pending = [hit.callTool("never"), hit.callTool("slow", { ms: 60_000 })];
  const elsewhere = other.callTool("slow", { ms: 1_500 });
  await run.log.called("slow", 2);
  Deno.kill(pid, "SIGKILL");
  const from = performance.now();
  await t.step("pending calls are answered", async () => {
    for (const answer of await Promise.all(pending)) {
      assert.equal(answer.result.isError, true);
      assert.match(answer.result.content[0].text, /SIGKILL/);
    }
    assert.ok(performance.now() - from < AT_ONCE_MS);
  });
  await t.step("the next call has a new child", async () => {
    const { result } = await hit.callTool("browser_navigate");
    assert.notEqual(result.structuredContent.pid, pid);
    assert.equal(result.structuredContent.calls, 1, "forwarded once");
  });
  await t.step("the other session has noticed nothing", async () => {
    assert.equal((await elsewhere).result.content[0].text, "slept 1500 ms");
    assert.equal(await run.childOf(other), otherPid);
  });
});

Deno.test("children killed under load: every call is answered", async () => {
  await using run = await HttpRun.start();
  const clients = await Promise.all(Array.from({ length: 4 }, () => run.open()));
  const load = async (client: HttpClient): Promise<void> => {
    for (let n = 0; n < 15; n++) assert.ok((await client.callTool("slow", { ms: 40 })).result);
  };
  const loads = clients.map(load);
  for (const client of clients.slice(0, 3)) {
    const pid = await run.childOf(client);
    if (pid !== undefined) Deno.kill(pid, "SIGKILL");
  }
  await Promise.all(loads);
  for (const client of clients) {
    assert.ok((await client.callTool("browser_navigate")).result.structuredContent);
  }
});

Deno.test("a spare that died is not given to a session", async () => {
  await using run = await HttpRun.start();
  const spare = await until("the spare", () => run.log.pids()[0], 5_000);
  run.tree.record();
  Deno.kill(spare, "SIGKILL");
  await until("its end noticed", () => readStat(spare) === undefined, 5_000);
  const client = await run.open();
  assert.notEqual(await run.childOf(client), spare);
});

Deno.test("kill -9 of the server takes its children with it", async () => {
  await using run = await HttpRun.start();
  const clients = [await run.open(), await run.open()];
  const calls = clients.map((client) => client.callTool("never").catch(() => "closed"));
  await run.log.called("never", 2);
  run.tree.record();
  run.leavesTemporaryFiles = true;
  run.signal("SIGKILL");
  assert.deepEqual(await Promise.all(calls), ["closed", "closed"]);
});
