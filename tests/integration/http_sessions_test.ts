/** Life and limits of sessions. */
import assert from "node:assert/strict";
import { type HttpClient, initializeParams, type Message } from "../harness/http_client.ts";
import { HttpRun } from "../harness/http_run.ts";
import { isRunning, readStat } from "../harness/proc_stat.ts";
import { passed, until } from "../harness/until.ts";

/** Warm spares are children as well; without them every child is a session's. */
const NO_SPARES = ["--http-warm-spares", "0"];

const GONE_WITHIN_MS = 8_000;

function isGone(pid: number): boolean {
  return !isRunning(readStat(pid));
}

async function ready(run: HttpRun): Promise<{ status: number; sessions: Message }> {
  const { status, body } = await run.get("/readyz");
  return { status, sessions: body.sessions };
}

/** Status, code and headers of an attempt to open a session. */
async function attempt(
  client: HttpClient,
): Promise<{ status: number; body: Message; retryAfter: string | null }> {
  const response = await client.post({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: initializeParams(),
  });
  const text = await response.text();
  client.sessionId = response.headers.get("mcp-session-id") ?? undefined;
  const json = text.startsWith("{") ? text : /^data: (.+)$/m.exec(text)?.[1] ?? "null";
  return { status: response.status, body: JSON.parse(json), retryAfter: response.headers.get("retry-after") };
}

async function pingStatus(client: HttpClient): Promise<number> {
  const response = await client.post({ jsonrpc: "2.0", id: "ping", method: "ping" });
  await response.body?.cancel();
  return response.status;
}

Deno.test("each session has a child of its own, and DELETE ends it", async (t) => {
  await using run = await HttpRun.start({ args: NO_SPARES });
  const [one, two] = [await run.open(), await run.open()];
  const pids = [await run.childOf(one), await run.childOf(two)];
  assert.notEqual(pids[0], pids[1]);
  assert.match(one.sessionId ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(run.folder.temporaryDirectories().length, 2);
  await t.step("one is ended, the other goes on", async () => {
    assert.equal(await one.end(), 200);
    await until("its child gone", () => isGone(pids[0] ?? 0), GONE_WITHIN_MS);
    assert.equal(run.folder.temporaryDirectories().length, 1);
    assert.equal(await run.childOf(two), pids[1]);
    assert.equal(await one.end(), 404);
  });
  await t.step("a running call and an open stream end with their session", async () => {
    const listener = await two.listen();
    const call = two.exchange("tools/call", { name: "never", arguments: {} });
    await run.log.called("never");
    const statuses = await Promise.all([two.end(), two.end(), two.end()]);
    assert.ok(
      statuses.includes(200) && statuses.every((status) => [200, 404].includes(status)),
      `${statuses}`,
    );
    assert.equal((await call).answer?.result.isError, true, "the call is answered");
    assert.deepEqual(await listener.rest(), []);
    await until("its child gone", () => isGone(pids[1] ?? 0), GONE_WITHIN_MS);
  });
  assert.deepEqual((await ready(run)).sessions, { active: 0, pending: 0, max: 32, available: 32 });
});

Deno.test("there are no more sessions than allowed, and room is found again", async (t) => {
  await using run = await HttpRun.start({ args: [...NO_SPARES, "--http-session-max", "3"] });
  const clients = Array.from({ length: 7 }, () => run.client());
  await t.step("seven at once", async () => {
    const results = await Promise.all(clients.map(attempt));
    assert.equal(results.filter(({ status }) => status === 200).length, 3);
    for (const { status, body, retryAfter } of results) {
      if (status === 200) continue;
      assert.deepEqual([status, body.error.code, body.error.message], [
        503,
        -32000,
        "HTTP session limit reached",
      ]);
      assert.match(retryAfter ?? "", /^[1-9]\d*$/);
    }
  });
  await t.step("not ready while full", async () => {
    const { status, sessions } = await ready(run);
    assert.deepEqual([status, sessions], [503, { active: 3, pending: 0, max: 3, available: 0 }]);
  });
  await t.step("ready again after an end", async () => {
    assert.equal(await clients.find((client) => client.sessionId !== undefined)?.end(), 200);
    assert.equal((await ready(run)).status, 200);
    assert.equal((await attempt(run.client())).status, 200);
  });
});

Deno.test("an initialize that fails gives its place back", async (t) => {
  // Each attempt starts its upstream a second time.
  const fake = ["--fail", "boom: no licence", "--fail-starts", "1,2,3,4"];
  await using run = await HttpRun.start({ fake, args: [...NO_SPARES, "--http-session-max", "1"] });
  for (const time of ["first", "second"]) {
    await t.step(`${time} time`, async () => {
      const client = run.client();
      const { body } = await attempt(client);
      assert.match(body.error.message, /boom: no licence/);
      await until("a free place", async () => (await ready(run)).sessions.available === 1, GONE_WITHIN_MS);
      assert.equal(await pingStatus(client), 404);
    });
  }
  await t.step("the temporary directory is missing", async () => {
    await Deno.remove(run.folder.temporary, { recursive: true });
    const { status, body } = await attempt(run.client());
    await Deno.mkdir(run.folder.temporary);
    assert.equal(status, 400);
    assert.ok(body.error.message.includes(run.folder.temporary), body.error.message);
    assert.equal((await ready(run)).sessions.available, 1);
  });
  await t.step("then it works", async () => assert.ok((await attempt(run.client())).body.result));
});

Deno.test("an upstream that dies before it answers initialize is started again, once", async () => {
  await using run = await HttpRun.start({
    fake: ["--fail", "boom", "--fail-starts", "1"],
    args: NO_SPARES,
  });
  const client = await run.open();
  assert.equal((await client.callTool("browser_navigate")).result.structuredContent.calls, 1);
  assert.equal(run.log.pids().length, 2);
});

Deno.test("a slow upstream's initialize is waited for", async () => {
  await using run = await HttpRun.start({ fake: ["--initialize-delay", "700"], args: NO_SPARES });
  const client = await run.open();
  assert.ok((await client.callTool("browser_snapshot")).result);
});

Deno.test("a client that gives up on its initialize leaves no session for ever", async () => {
  await using run = await HttpRun.start({
    fake: ["--initialize-delay", "1500"],
    args: [...NO_SPARES, "--http-session-idle-ttl-ms", "1000"],
  });
  const response = await run.client().post({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: initializeParams(),
  });
  await response.body?.cancel();
  await until("no session", () => / session closed /.test(run.stderr), GONE_WITHIN_MS);
  assert.equal((await ready(run)).sessions.active, 0);
});

Deno.test("one client has no more sessions than its share", async (t) => {
  await t.step("by address, behind a proxy that is trusted", async () => {
    await using run = await HttpRun.start({
      args: [...NO_SPARES, "--http-session-per-client-max", "1", "--trust-proxy", "127.0.0.1"],
    });
    const from = (address: string): HttpClient => run.client({ "X-Forwarded-For": address });
    assert.equal((await attempt(from("192.0.2.1"))).status, 200);
    const refused = await attempt(from("192.0.2.1"));
    assert.equal(refused.status, 503);
    assert.match(refused.body.error.message, /--http-session-per-client-max/);
    assert.equal((await attempt(from("192.0.2.2"))).status, 200);
  });
  await t.step("by address, whatever a stranger writes into the header", async () => {
    await using run = await HttpRun.start({ args: [...NO_SPARES, "--http-session-per-client-max", "1"] });
    assert.equal((await attempt(run.client({ "X-Forwarded-For": "192.0.2.1" }))).status, 200);
    assert.equal((await attempt(run.client({ "X-Forwarded-For": "192.0.2.2" }))).status, 503);
  });
});

Deno.test("a session ends when nothing has happened for its time", async (t) => {
  const ttlMs = 1_000;
  await using run = await HttpRun.start({
    args: [...NO_SPARES, "--http-session-idle-ttl-ms", String(ttlMs)],
  });
  const closed = (): number => run.stderr.split(" session closed ").length - 1;
  await t.step("idle: closed without being asked for", async () => {
    const client = await run.open();
    const pid = await run.childOf(client);
    await until("its end", () => closed() === 1, 4 * ttlMs + GONE_WITHIN_MS);
    assert.ok(isGone(pid));
    assert.equal(await pingStatus(client), 404);
    assert.deepEqual(run.folder.temporaryDirectories(), []);
  });
  await t.step("requests extend it", async () => {
    const client = await run.open();
    for (let n = 0; n < 6; n++) {
      await passed(ttlMs / 2);
      assert.ok((await client.request("ping")).result);
    }
    await client.end();
  });
  await t.step("a running call keeps it alive, also when its client has gone", async () => {
    const client = await run.open();
    const response = await client.post({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "slow", arguments: { ms: 3 * ttlMs } },
    });
    await response.body?.cancel();
    await passed(2.5 * ttlMs);
    assert.ok((await client.request("ping")).result);
    await client.end();
  });
  await t.step("an open stream keeps it alive", async () => {
    const client = await run.open();
    const listener = await client.listen();
    await passed(3 * ttlMs);
    assert.ok((await client.request("ping")).result);
    const before = closed();
    await listener.cancel();
    await until("its end after the stream", () => closed() > before, 4 * ttlMs + GONE_WITHIN_MS);
  });
  await t.step("readyz sweeps", async () => {
    await run.open();
    await passed(ttlMs + 50);
    await run.get("/readyz");
    await until("no session", async () => (await ready(run)).sessions.active === 0, GONE_WITHIN_MS);
  });
});

Deno.test("rates are bounded", async (t) => {
  await t.step("opening sessions: 429 with Retry-After", async () => {
    await using run = await HttpRun.start({ args: [...NO_SPARES, "--http-session-rate", "2/60s"] });
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push(await attempt(run.client()));
    assert.deepEqual(statuses.map(({ status }) => status), [200, 200, 429]);
    const retryAfter = Number(statuses[2]?.retryAfter);
    assert.ok(Number.isInteger(retryAfter) && retryAfter > 0 && retryAfter <= 30, `${retryAfter}`);
    assert.equal(run.log.pids().length, 2);
  });
  await t.step("tool calls: a JSON-RPC error with retryAfterMs, other requests unbounded", async () => {
    await using run = await HttpRun.start({ args: ["--http-call-rate", "3/60s"] });
    const client = await run.open();
    for (let n = 0; n < 3; n++) assert.ok((await client.callTool("browser_snapshot")).result);
    const { response, answer } = await client.exchange("tools/call", { name: "browser_snapshot" }, {
      id: "over",
    });
    assert.deepEqual([response.status, answer.id], [200, "over"]);
    assert.ok(answer.error.data.retryAfterMs > 0 && answer.error.data.retryAfterMs <= 20_000);
    for (let n = 0; n < 10; n++) assert.ok((await client.request("ping")).result);
    assert.equal(run.log.calls("browser_snapshot").length, 3);
  });
});
