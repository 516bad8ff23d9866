/** Case http-3, and of forwarding-4 the call that takes longer than a minute. Run by `http_patience_test.ts`. */
import assert from "node:assert/strict";
import { HttpRun } from "../../harness/http_run.ts";
import { parseResponse, RawConnection } from "../../harness/raw_http.ts";

const CALL_MS = 66_000;
const HEADERS_WITHIN_MS = 200;
const LONGEST_SILENCE_MS = 20_000;

/** @param onHeaders called when what is measured in milliseconds is over */
export async function keptAlive(onHeaders: () => void): Promise<void> {
  await using run = await HttpRun.start();
  const client = await run.open();
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: "long",
    method: "tools/call",
    params: { name: "slow", arguments: { ms: CALL_MS } },
  });
  const common = [
    `Host: 127.0.0.1:${run.port}`,
    `Mcp-Session-Id: ${client.sessionId}`,
    "Accept: application/json, text/event-stream",
  ];
  using get = await RawConnection.open(run.port);
  using post = await RawConnection.open(run.port);
  const startedAt = performance.now();
  await get.write(`${["GET /mcp HTTP/1.1", ...common].join("\r\n")}\r\n\r\n`);
  const head = [
    "POST /mcp HTTP/1.1",
    ...common,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  await post.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  for (const connection of [get, post]) {
    await connection.until(/\r\n\r\n/);
    const tookMs = (connection.arrivals[0] ?? Infinity) - startedAt;
    assert.ok(tookMs < HEADERS_WITHIN_MS, `headers after ${tookMs} ms`);
    const { status, headers } = parseResponse(connection.received);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/event-stream");
    assert.equal(headers.get("x-accel-buffering"), "no");
    assert.match(headers.get("cache-control") ?? "", /no-store|no-cache/);
  }
  onHeaders();
  await post.until(/"id":"long"/, CALL_MS + 10_000);
  const endedAt = performance.now();
  assert.ok(endedAt - startedAt >= CALL_MS);
  for (const connection of [get, post]) {
    const times = [startedAt, ...connection.arrivals.filter((at) => at <= endedAt), endedAt];
    const silences = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    assert.ok(Math.max(...silences) <= LONGEST_SILENCE_MS, `silent for ${Math.max(...silences)} ms`);
  }
  const data = (text: string): string[] => text.match(/^data: .+$/gm) ?? [];
  assert.deepEqual(data(get.received), [], "keeping alive is no event");
  assert.equal(data(post.received).length, 1);
}
