import assert from "node:assert/strict";
import { createMetrics, type Metrics } from "../../src/http/metrics.ts";
import { Exposition } from "../harness/exposition.ts";

function newMetrics(): Metrics {
  return createMetrics({
    version: "1.2.3",
    upstreamVersion: "0.0.1",
    denoVersion: "2.0.0",
    startedAtMs: 1_700_000_000_500,
    residentBytes: () => 4096,
  });
}

async function scrape(metrics: Metrics): Promise<Exposition> {
  return new Exposition((await metrics.exposition()).text);
}

Deno.test("createMetrics() counts calls by tool and outcome, and times those that were taken", async () => {
  const metrics = newMetrics();
  metrics.callEnded({ tool: "t", outcome: "ok", ms: 30 });
  metrics.callEnded({ tool: "t", outcome: "lost", ms: 3_000 });
  metrics.callEnded({ tool: "t", outcome: "refused", ms: 0 });
  const found = await scrape(metrics);
  for (const outcome of ["ok", "lost", "refused"]) {
    assert.equal(found.value("cloakbrowser_mcp_tool_calls_total", { tool: "t", outcome }), 1, outcome);
  }
  const duration = "cloakbrowser_mcp_tool_call_duration_seconds";
  assert.equal(found.value(`${duration}_count`, { tool: "t" }), 2);
  assert.equal(found.value(`${duration}_sum`, { tool: "t" }), 3.03);
  assert.equal(found.value(`${duration}_bucket`, { tool: "t", le: "0.025" }), 0);
  assert.equal(found.value(`${duration}_bucket`, { tool: "t", le: "0.05" }), 1);
  assert.equal(found.value(`${duration}_bucket`, { tool: "t", le: "+Inf" }), 2);
});

Deno.test("createMetrics() gives no series to tools that nobody listed, ill-named ones, and those beyond a bound", async () => {
  const metrics = newMetrics();
  for (let count = 0; count < 5_000; count++) {
    metrics.callEnded({ tool: `tool_${count}`, outcome: "ok", ms: 1 });
  }
  for (const tool of [undefined, "", 'a"b', "a\nb", "https://example.org/", "x".repeat(129)]) {
    metrics.callEnded({ tool, outcome: "ok", ms: 1 });
  }
  const found = await scrape(metrics);
  const tools = found.labelValues("cloakbrowser_mcp_tool_calls_total", "tool");
  assert.equal(tools.length, 101);
  assert.equal(found.value("cloakbrowser_mcp_tool_calls_total", { tool: "other" }), 5_000 - 100 + 6);
  assert.equal(found.value("cloakbrowser_mcp_tool_calls_total"), 5_006);
});

Deno.test("createMetrics() shows at each scrape what is there then", async () => {
  const metrics = newMetrics();
  let active = 0;
  metrics.watch({
    sessionLimit: 7,
    sessions: (state) => state === "active" ? active : 0,
    upstreams: (use) => use === "spare" ? 1 : active,
  });
  for (active of [0, 3, 1]) {
    const found = await scrape(metrics);
    assert.equal(found.value("cloakbrowser_mcp_sessions", { state: "active" }), active);
    assert.equal(found.value("cloakbrowser_mcp_upstreams", { use: "session" }), active);
    assert.equal(found.value("cloakbrowser_mcp_upstreams", { use: "spare" }), 1);
    assert.equal(found.value("cloakbrowser_mcp_sessions_limit"), 7);
  }
});

Deno.test("createMetrics() begins known series at 0 and says what is running", async () => {
  const found = await scrape(newMetrics());
  const versions = { version: "1.2.3", upstream_version: "0.0.1", deno_version: "2.0.0" };
  assert.equal(found.value("cloakbrowser_mcp_build_info", versions), 1);
  assert.equal(found.value("cloakbrowser_mcp_process_start_time_seconds"), 1_700_000_000.5);
  assert.equal(found.value("cloakbrowser_mcp_process_resident_memory_bytes"), 4096);
  assert.deepEqual(found.labelValues("cloakbrowser_mcp_sessions_closed_total", "reason"), [
    "deleted",
    "drained",
    "expired",
    "failed",
  ]);
  assert.ok(found.labelValues("cloakbrowser_mcp_http_refusals_total", "reason").includes("origin"));
});

Deno.test("createMetrics() takes no method, path or status of a client as a label", async () => {
  const metrics = newMetrics();
  metrics.answered("BREW", undefined, 418);
  metrics.answered("POST", "mcp", 202);
  const found = await scrape(metrics);
  const name = "cloakbrowser_mcp_http_requests_total";
  assert.equal(found.value(name, { method: "other", route: "other", status: "4xx" }), 1);
  assert.equal(found.value(name, { method: "POST", route: "mcp", status: "2xx" }), 1);
});

Deno.test("createMetrics() keeps servers apart and follows the naming rules", async () => {
  const one = newMetrics();
  one.sessionOpened();
  const [found, other] = [await scrape(one), await scrape(newMetrics())];
  assert.equal(found.value("cloakbrowser_mcp_sessions_opened_total"), 1);
  assert.equal(other.value("cloakbrowser_mcp_sessions_opened_total"), 0);
  for (const [name, type] of found.types) {
    assert.match(name, /^cloakbrowser_mcp_[a-z_]+$/);
    assert.equal(name.endsWith("_total"), type === "counter", name);
  }
});
