/** `/metrics` of the executable: what happens is counted, once and under the right words. */
import assert from "node:assert/strict";
import { Exposition } from "../harness/exposition.ts";
import { type HttpClient, initializeParams } from "../harness/http_client.ts";
import { HttpRun } from "../harness/http_run.ts";
import { until } from "../harness/until.ts";

const NO_SPARES = ["--http-warm-spares", "0"];

/** What is counted beside an answer may be there a moment after it. */
const COUNTED_WITHIN_MS = 8_000;

async function scrape(run: HttpRun): Promise<Exposition> {
  const response = await fetch(new URL("/metrics", run.url), { client: run.http });
  assert.equal(response.status, 200);
  return new Exposition(await response.text());
}

type Labels = Readonly<Record<string, string>>;

/** How much each series of a counter has risen, without those that have not. */
function rises(before: Exposition, after: Exposition, name: string): Record<string, number> {
  const full = `cloakbrowser_mcp_${name}`;
  const risen: Record<string, number> = {};
  for (const { labels, value } of after.samples.filter((sample) => sample.name === full)) {
    const rise = value - before.value(full, labels);
    if (rise !== 0) risen[Object.values(labels).join(" ")] = rise;
  }
  return risen;
}

async function becomes(run: HttpRun, name: string, labels: Labels, value: number): Promise<void> {
  await until(
    `${name} ${JSON.stringify(labels)} at ${value}`,
    async () => (await scrape(run)).value(`cloakbrowser_mcp_${name}`, labels) === value,
    COUNTED_WITHIN_MS,
  );
}

/** A session whose tools are known, as they are to every client that asks. */
async function openListed(run: HttpRun): Promise<HttpClient> {
  const client = await run.open();
  await client.request("tools/list");
  return client;
}

Deno.test("tool calls are counted by tool and outcome, over the death of a child", async (t) => {
  await using run = await HttpRun.start({ args: NO_SPARES });
  const client = await openListed(run);
  const before = await scrape(run);
  await client.callTool("browser_snapshot");
  await client.callTool("browser_snapshot");
  await client.callTool("browser_fail");
  await client.callTool("err");
  await client.callTool("cloakbrowser_bridge_info");
  for (const name of ["made up", "made_up", "https://secret.example/?q"]) await client.callTool(name);
  await client.request("tools/call", { name: "t1", arguments: [] });
  await client.request("tools/call", {});
  const given = client.exchange("tools/call", { name: "never", arguments: {} }, { id: "given-up" });
  await run.log.called("never");
  await client.tell({ method: "notifications/cancelled", params: { requestId: "given-up" } });
  await given.catch(() => {});
  const pid = await run.childOf(client);
  const lost = client.callTool("never");
  await run.log.called("never", 2);
  Deno.kill(pid, "SIGKILL");
  assert.equal((await lost).result.isError, true);
  assert.notEqual(await run.childOf(client), pid);
  const after = await scrape(run);

  await t.step("calls", () => {
    assert.deepEqual(rises(before, after, "tool_calls_total"), {
      "browser_snapshot ok": 2,
      "browser_fail tool_error": 1,
      "err rpc_error": 1,
      "cloakbrowser_bridge_info ok": 1,
      "other rpc_error": 3,
      "t1 refused": 1,
      "other refused": 1,
      "never cancelled": 1,
      "never lost": 1,
      "pid ok": 2,
    });
  });
  await t.step("their durations", () => {
    const counts = rises(before, after, "tool_call_duration_seconds_count");
    assert.deepEqual(counts, {
      browser_snapshot: 2,
      browser_fail: 1,
      err: 1,
      cloakbrowser_bridge_info: 1,
      other: 3,
      never: 2,
      pid: 2,
    });
  });
  await t.step("the restart", () => {
    assert.deepEqual(rises(before, after, "upstream_restarts_total"), { lost: 1 });
    assert.equal(after.value("cloakbrowser_mcp_upstreams", { use: "session" }), 1);
  });
  await t.step("no label is a client's own", () => {
    const text = JSON.stringify(after.samples);
    for (const own of ["made", "secret", client.sessionId ?? "?", "127.0.0.1", "given-up"]) {
      assert.ok(!text.includes(own), own);
    }
    assert.ok(after.samples.length < 400, `${after.samples.length} series`);
  });
});

Deno.test("sessions, upstreams and bytes are counted", async (t) => {
  await using run = await HttpRun.start({
    fake: ["--fail", "boom", "--fail-starts", "3,4"],
    args: [...NO_SPARES, "--http-session-max", "5", "--http-session-idle-ttl-ms", "1500"],
  });
  const before = await scrape(run);
  const [one, two] = [await run.open(), await run.open()];
  // An open stream keeps its session; the other may expire.
  const listener = await one.listen();
  await t.step("open ones", async () => {
    const now = await scrape(run);
    assert.equal(now.value("cloakbrowser_mcp_sessions", { state: "active" }), 2);
    assert.equal(now.value("cloakbrowser_mcp_sessions"), 2);
    assert.equal(now.value("cloakbrowser_mcp_sessions_limit"), 5);
    assert.equal(now.value("cloakbrowser_mcp_upstreams", { use: "session" }), 2);
    assert.equal(now.value("cloakbrowser_mcp_upstreams", { use: "spare" }), 0);
  });
  await t.step("bytes in both directions, exactly", async () => {
    const from = await scrape(run);
    const body = JSON.stringify({ jsonrpc: "2.0", id: "b", method: "tools/call", params: { name: "utf8" } });
    const response = await two.post(body);
    const answer = new Uint8Array(await response.arrayBuffer());
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.deepEqual(rises(from, await scrape(run), "message_bytes_total"), {
      from_client: body.length,
      from_upstream: answer.length,
    });
  });
  await t.step("one expires, one fails, one is deleted", async () => {
    await becomes(run, "sessions_closed_total", { reason: "expired" }, 1);
    const failed = await run.client().initialize();
    assert.match(failed.error.message, /boom/);
    await becomes(run, "sessions_closed_total", { reason: "failed" }, 1);
    assert.equal(await one.end(), 200);
    await listener.rest();
    const after = await scrape(run);
    assert.deepEqual(rises(before, after, "sessions_closed_total"), { expired: 1, failed: 1, deleted: 1 });
    assert.equal(after.value("cloakbrowser_mcp_sessions_opened_total"), 3);
    assert.equal(after.value("cloakbrowser_mcp_sessions"), 0);
    assert.equal(after.value("cloakbrowser_mcp_upstreams"), 0);
  });
});

Deno.test("spares are upstreams of another use", async () => {
  await using run = await HttpRun.start({ args: ["--http-warm-spares", "2"] });
  await becomes(run, "upstreams", { use: "spare" }, 2);
  await run.open();
  await becomes(run, "upstreams", { use: "session" }, 1);
  await becomes(run, "upstreams", { use: "spare" }, 2);
});

Deno.test("refusals are counted by reason, requests by method, route and status", async (t) => {
  await using run = await HttpRun.start({
    args: [...NO_SPARES, "--http-session-max", "1", "--http-call-rate", "1/60s"],
  });
  const client = await openListed(run);
  const before = await scrape(run);
  const status = async (answer: Promise<Response>): Promise<number> => {
    const response = await answer;
    await response.body?.cancel();
    return response.status;
  };
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const initialize = { ...ping, method: "initialize", params: initializeParams() };
  const bare = run.client();
  const unknown = { "Mcp-Session-Id": crypto.randomUUID() };
  const statuses = [
    await status(client.post(ping, { Origin: "https://evil.example" })),
    await status(client.fetch("PUT")),
    await status(client.post(ping, { "Content-Type": "text/plain" })),
    await status(client.post(ping, { Accept: "text/html" })),
    await status(client.post("{")),
    await status(client.post(ping, { "MCP-Protocol-Version": "1999-01-01" })),
    await status(client.post({ id: 1 })),
    await status(bare.post(ping)),
    await status(bare.post(ping, unknown)),
    await status(bare.post(initialize)),
    (await run.get("/nowhere")).status,
    (await run.get("/metrics", { method: "DELETE" })).status,
  ];
  assert.deepEqual(statuses, [403, 405, 415, 406, 400, 400, 400, 400, 404, 503, 404, 405]);
  assert.ok((await client.callTool("browser_snapshot")).result);
  assert.ok((await client.callTool("browser_snapshot")).error.data.retryAfterMs > 0);
  const after = await scrape(run);
  await t.step("refusals", () => {
    assert.deepEqual(rises(before, after, "http_refusals_total"), {
      origin: 1,
      method: 2,
      content_type: 1,
      accept: 1,
      body: 1,
      protocol_version: 1,
      message: 1,
      session: 2,
      capacity: 1,
      path: 1,
      call_rate: 1,
    });
  });
  await t.step("requests", () => {
    assert.deepEqual(rises(before, after, "http_requests_total"), {
      "POST mcp 2xx": 2,
      "POST mcp 4xx": 8,
      "POST mcp 5xx": 1,
      "other mcp 4xx": 1,
      "GET other 4xx": 1,
      "DELETE metrics 4xx": 1,
      // The scrape before.
      "GET metrics 2xx": 1,
    });
  });
});

Deno.test("metrics say what is running, need the token where there is one, and have no body for HEAD", async () => {
  const token = "metrics-token-0123456789abcdef0123456789";
  await using run = await HttpRun.start({
    args: NO_SPARES,
    env: { CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN: token },
  });
  assert.equal((await run.get("/metrics")).status, 401);
  const address = new URL("/metrics", run.url);
  const headers = { Authorization: `Bearer ${token}` };
  const head = await fetch(address, { client: run.http, method: "HEAD", headers });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  const response = await fetch(address, { client: run.http, headers });
  assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const found = new Exposition(await response.text());
  assert.match(found.labelValues("cloakbrowser_mcp_build_info", "deno_version")[0] ?? "", /^\d+\.\d+\.\d+$/);
  assert.ok(found.value("cloakbrowser_mcp_process_resident_memory_bytes") > 10_000_000);
  const age = Date.now() / 1000 - found.value("cloakbrowser_mcp_process_start_time_seconds");
  assert.ok(age > 0 && age < 60, `${age}`);
});
