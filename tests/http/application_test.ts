import assert from "node:assert/strict";
import { initializeParams } from "../harness/http_client.ts";
import type { Bridge } from "../../src/bridge/bridge.ts";
import { type Application, createApplication } from "../../src/http/application.ts";
import { createMetrics, type Metrics } from "../../src/http/metrics.ts";
import { createMemoryStore } from "../../src/http/session_store.ts";
import { Sessions, type SessionsOptions } from "../../src/http/sessions.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { Exposition } from "../harness/exposition.ts";
import { settle, type Situation } from "../settings/settle.ts";
import { request } from "./requests.ts";

const TOKEN = "a-token-of-this-test-that-is-long-enough";
const WITH_TOKEN = { CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN: TOKEN };
const BEARER = { authorization: `Bearer ${TOKEN}` };

/** An application that opens no session. */
async function newApplication(
  situation: Situation = {},
  open: SessionsOptions["open"] = () => Promise.reject(new Error("no session in this test")),
): Promise<
  { readonly send: Application; readonly metrics: Metrics; readonly lines: string[] } & AsyncDisposable
> {
  const { settings } = await settle(situation);
  const lines: string[] = [];
  const log = createLogger({ level: "error", format: "text", write: (line) => void lines.push(line) });
  const now = (): number => 0;
  const sessions = new Sessions({
    store: createMemoryStore(),
    max: 1,
    maxPerClient: undefined,
    idleTtlMs: 1000,
    keepaliveMs: 0,
    closeGraceMs: 0,
    open,
    log,
    now,
  });
  const metrics = createMetrics({
    version: "1",
    upstreamVersion: "2",
    denoVersion: "3",
    startedAtMs: 0,
    residentBytes: () => 1,
  });
  const send = createApplication({ settings, sessions, metrics, log, cwd: "/", now });
  return { send, metrics, lines, [Symbol.asyncDispose]: () => sessions.drain(0) };
}

const METRICS = { path: "/metrics" };

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: initializeParams(),
});

Deno.test("createApplication() answers GET and HEAD of /metrics as text for a scraper that nobody stores", async () => {
  await using server = await newApplication();
  for (const method of ["GET", "HEAD"]) {
    const response = await server.send(request({}, { ...METRICS, method }), "127.0.0.1");
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "no-store");
    new Exposition(await response.text());
  }
});

Deno.test("createApplication() lets no other method at /metrics", async () => {
  await using server = await newApplication();
  for (const method of ["POST", "DELETE", "OPTIONS", "PUT"]) {
    const response = await server.send(request({}, { ...METRICS, method }), "127.0.0.1");
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "GET, HEAD");
  }
});

Deno.test("createApplication() shows /metrics to who has the token, or to everybody with open probes", async () => {
  await using closed = await newApplication({ env: WITH_TOKEN });
  const refused = await closed.send(request({}, METRICS), "127.0.0.1");
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get("www-authenticate"), "Bearer");
  assert.deepEqual(await refused.json(), { status: "unauthorized" });
  assert.equal((await closed.send(request(BEARER, METRICS), "127.0.0.1")).status, 200);
  await using open = await newApplication({
    env: { ...WITH_TOKEN, CLOAK_PLAYWRIGHT_MCP_HTTP_OPEN_PROBES: "true" },
  });
  assert.equal((await open.send(request({}, METRICS), "127.0.0.1")).status, 200);
});

Deno.test("createApplication() finds /metrics below the base path only", async () => {
  await using server = await newApplication({ env: { CLOAK_PLAYWRIGHT_MCP_HTTP_BASE_PATH: "/base" } });
  assert.equal((await server.send(request({}, METRICS), "127.0.0.1")).status, 404);
  assert.equal((await server.send(request({}, { path: "/base/metrics" }), "127.0.0.1")).status, 200);
});

Deno.test("createApplication() counts each refusal once, by a word of its own", async () => {
  await using server = await newApplication({ env: WITH_TOKEN });
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (headers: Record<string, string>, body = "{}"): Request =>
    request({ ...BEARER, ...json, ...headers }, { method: "POST", body });
  const requests: ReadonlyArray<readonly [reason: string, request: Request]> = [
    ["host", request({ host: "evil.example" })],
    ["origin", request({ origin: "https://evil.example" })],
    ["path", request({}, { path: "/nowhere" })],
    ["token", request()],
    ["token", request({}, METRICS)],
    ["method", request(BEARER, { method: "PUT" })],
    ["method", request(BEARER, { ...METRICS, method: "PUT" })],
    ["content_type", post({ "content-type": "text/plain" })],
    ["accept", post({ accept: "*/*" })],
    ["body", post({}, "{")],
    ["body_size", post({ "content-length": "99999999999" })],
    ["session", post({})],
    ["session", post({ "mcp-session-id": "unknown" })],
    ["internal", post({}, INITIALIZE)],
  ];
  const expected: Record<string, number> = {};
  for (const [reason, each] of requests) {
    expected[reason] = (expected[reason] ?? 0) + 1;
    await server.send(each, "127.0.0.1");
  }
  const found = new Exposition((await server.metrics.exposition()).text);
  for (const reason of found.labelValues("cloakbrowser_mcp_http_refusals_total", "reason")) {
    const count = found.value("cloakbrowser_mcp_http_refusals_total", { reason });
    assert.equal(count, expected[reason] ?? 0, reason);
  }
  assert.equal(found.value("cloakbrowser_mcp_http_requests_total"), requests.length);
  assert.equal(found.value("cloakbrowser_mcp_http_requests_total", { route: "metrics", status: "4xx" }), 2);
});

Deno.test("createApplication() answers a fault of ours with a number that leads to its cause in the log", async () => {
  await using server = await newApplication();
  const response = await server.send(
    request({ "content-type": "application/json", accept: "application/json, text/event-stream" }, {
      path: "/mcp",
      method: "POST",
      body: INITIALIZE,
    }),
    "127.0.0.1",
  );
  assert.equal(response.status, 500);
  const { error } = await response.json();
  assert.equal(error.code, -32603);
  const [, correlation = ""] = /under ([0-9a-f-]{36})$/.exec(error.message) ?? [];
  assert.ok(!error.message.includes("no session in this test"), "the cause is not for the client");
  const [line] = server.lines.filter((each) => each.includes(correlation));
  assert.ok(line?.includes("no session in this test"), server.lines.join("\n"));
});

Deno.test("createApplication() keeps no session whose client goes away during initialize", async () => {
  let closed = false;
  /** An upstream that never answers. */
  const bridge = {
    relay: { take: () => Promise.resolve(), drain: () => Promise.resolve(), initialized: false },
    close: () => {
      closed = true;
      return Promise.resolve();
    },
  };
  await using server = await newApplication(
    {},
    () => Promise.resolve({ id: "s", bridge: bridge as unknown as Bridge }),
  );
  const client = new AbortController();
  const answer = server.send(
    request({ "content-type": "application/json", accept: "application/json, text/event-stream" }, {
      method: "POST",
      body: INITIALIZE,
      signal: client.signal,
    }),
    "127.0.0.1",
  );
  client.abort();
  await (await answer).body?.cancel();
  assert.equal(closed, true);
});
