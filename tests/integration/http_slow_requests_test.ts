/** Requests that come too slowly, or are too large to be meant. */
import assert from "node:assert/strict";
import { HttpRun } from "../harness/http_run.ts";
import { parseResponse, RawConnection, rawRequest } from "../harness/raw_http.ts";

/** Bound of the product for a body, and room for a busy machine. */
const BODY_TIMEOUT_MS = 30_000;
const ROOM_MS = 10_000;

Deno.test("a body that never ends is refused in time, and holds up nobody", async () => {
  await using run = await HttpRun.start();
  const client = await run.open();
  const head = [
    "POST /mcp HTTP/1.1",
    `Host: 127.0.0.1:${run.port}`,
    `Mcp-Session-Id: ${client.sessionId}`,
    "Accept: application/json, text/event-stream",
    "Content-Type: application/json",
    "Content-Length: 100",
  ];
  using slow = await RawConnection.open(run.port);
  const from = performance.now();
  await slow.write(`${head.join("\r\n")}\r\n\r\n{"jsonrpc"`);
  assert.ok((await client.callTool("pid")).result, "the session works meanwhile");
  await slow.until(/\r\n\r\n/, BODY_TIMEOUT_MS + ROOM_MS);
  assert.ok(performance.now() - from >= BODY_TIMEOUT_MS);
  assert.equal(parseResponse(slow.received).status, 408);
  assert.ok((await client.callTool("pid")).result, "and afterwards");
});

Deno.test("a head that is too large, or has too many fields, is refused", async () => {
  await using run = await HttpRun.start();
  const host = `Host: 127.0.0.1:${run.port}`;
  const heads: ReadonlyArray<readonly [title: string, fields: readonly string[]]> = [
    ["1 MiB", [`X-Large: ${"x".repeat(1024 * 1024)}`]],
    ["10,000 fields", Array.from({ length: 10_000 }, (_, index) => `X-${index}: 1`)],
  ];
  for (const [title, fields] of heads) {
    // The server may answer and close while the rest is still being sent: then the answer can be lost.
    const status = await rawRequest(run.port, "GET /mcp", [host, ...fields]).then(
      (response) => response.status,
      () => undefined,
    );
    assert.ok(status === undefined || [0, 400, 431].includes(status), `${title}: ${status}`);
  }
  assert.equal((await run.get("/healthz")).status, 200);
});

Deno.test("200 connections that say nothing leave the server usable, and its end is not held up", async () => {
  await using run = await HttpRun.start();
  const idle = await Promise.all(Array.from({ length: 200 }, () => RawConnection.open(run.port)));
  const half = idle.slice(0, 50);
  for (const connection of half) await connection.write("GET /mcp HTTP/1.1\r\nHost: ");
  const client = await run.open();
  assert.ok((await client.callTool("pid")).result);
  run.signal("SIGTERM");
  assert.equal((await run.exit(ROOM_MS)).code, 0);
  for (const connection of idle) {
    await connection.closed();
    connection[Symbol.dispose]();
  }
});
