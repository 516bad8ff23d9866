/** Case http-1 and the refusals of the reference: each request gets the status that it deserves, and costs nothing. */
import assert from "node:assert/strict";
import { EventReader } from "../harness/event_reader.ts";
import { type HttpClient, initializeParams, type Message } from "../harness/http_client.ts";
import { HttpRun } from "../harness/http_run.ts";
import { parseResponse, RawConnection, rawRequest } from "../harness/raw_http.ts";

const PING = { jsonrpc: "2.0", id: 900, method: "ping" };
const METHODS = ["POST", "GET", "DELETE"] as const;

/** Bound of the case for an answer that says no. */
const REFUSED_WITHIN_MS = 100;

/** A busy machine may delay one answer, but not all of these. */
const TRIES = 5;

interface Cell {
  readonly status: number;
  readonly code: number | undefined;
  readonly tookMs: number;
}

async function cell(
  client: HttpClient,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined = method === "POST" ? JSON.stringify(PING) : undefined,
): Promise<Cell> {
  const from = performance.now();
  const response = await client.fetch(method, { headers, ...(body === undefined ? {} : { body }) });
  const tookMs = performance.now() - from;
  if (response.ok) {
    await response.body?.cancel();
    return { status: response.status, code: undefined, tookMs };
  }
  const { error, id } = await response.json();
  assert.equal(id, null);
  return { status: response.status, code: error.code, tookMs };
}

Deno.test("http-1 every session id gets its status, and a bad one starts nothing", async (t) => {
  await using run = await HttpRun.start({ args: ["--http-warm-spares", "0"] });
  const live = await run.open();
  const gone = await run.open();
  const deleted = gone.sessionId ?? "";
  assert.equal(await gone.end(), 200);
  const starts = run.log.pids().length;
  const bare = run.client();

  const ids: ReadonlyArray<readonly [title: string, id: string | undefined, status: number, code: number]> = [
    ["no id", undefined, 400, -32000],
    ["never issued", crypto.randomUUID(), 404, -32001],
    ["deleted", deleted, 404, -32001],
    ["empty", "", 400, -32000],
  ];
  for (const [title, id, status, code] of ids) {
    for (const method of METHODS) {
      await t.step(`${method} ${title}`, async () => {
        const headers: Record<string, string> = id === undefined ? {} : { "Mcp-Session-Id": id };
        assert.deepEqual(await refusal(bare, method, headers), [status, code]);
      });
    }
  }
  for (const method of METHODS) {
    await t.step(`${method} id repeated in two headers`, async () => {
      const header = `Mcp-Session-Id: ${live.sessionId}`;
      const { status } = await rawRequest(
        run.port,
        `${method} /mcp`,
        [
          `Host: 127.0.0.1:${run.port}`,
          "Accept: application/json, text/event-stream",
          "Content-Type: application/json",
          header,
          header,
        ],
        method === "POST" ? JSON.stringify(PING) : "",
      );
      assert.equal(status, 400);
    });
  }
  await t.step("POST live", async () => assert.equal((await cell(live, "POST", {})).status, 200));
  await t.step("GET live", async () => assert.equal((await cell(live, "GET", {})).status, 200));
  await t.step("POST server/discover without a session", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: {} });
    assert.equal((await cell(bare, "POST", {}, body)).status, 400);
  });
  await t.step("no failing cell has started a child", () => assert.equal(run.log.pids().length, starts));
  await t.step("DELETE live", async () => assert.equal((await cell(live, "DELETE", {})).status, 200));
});

Deno.test("http-1 MCP-Protocol-Version is taken or refused", async (t) => {
  await using run = await HttpRun.start();
  const client = await run.open();
  const versions: ReadonlyArray<readonly [version: string | undefined, status: number]> = [
    [undefined, 200],
    ["2025-11-25", 200],
    ["2025-03-26", 200],
    ["1999-01-01", 400],
    ["x", 400],
    ["2026-07-28", 400],
  ];
  for (const [version, status] of versions) {
    for (const method of status === 200 ? ["POST"] as const : METHODS) {
      await t.step(`${method} ${version}`, async () => {
        const headers: Record<string, string> = version === undefined
          ? {}
          : { "MCP-Protocol-Version": version };
        if (status === 200) assert.equal((await cell(client, method, headers)).status, 200);
        else assert.deepEqual(await refusal(client, method, headers), [status, -32000]);
      });
    }
  }
  assert.ok((await client.request("ping")).result, "the session has come to no harm");
});

Deno.test("the reference's refusals have its status and code", async (t) => {
  await using run = await HttpRun.start({ args: ["--http-max-body-bytes", "1048576"] });
  const client = await run.open();
  const json = JSON.stringify(PING);
  const step = (
    title: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    expected: readonly [status: number, code: number],
  ): Promise<boolean> =>
    t.step(title, async () => {
      const got = await cell(client, method, headers, body);
      assert.deepEqual([got.status, got.code], expected);
    });

  await step("content type", "POST", { "Content-Type": "text/plain" }, json, [415, -32000]);
  await step("content type before body", "POST", { "Content-Type": "text/plain" }, "{", [415, -32000]);
  await step("content encoding", "POST", { "Content-Encoding": "gzip" }, json, [415, -32000]);
  await step("POST that takes JSON only", "POST", { Accept: "application/json" }, json, [406, -32000]);
  await step("GET that takes JSON only", "GET", { Accept: "application/json" }, undefined, [406, -32000]);
  await step("no JSON", "POST", {}, '{"jsonrpc":"2.0",', [400, -32700]);
  await step("no body", "POST", {}, "", [400, -32700]);
  await t.step("a batch, in a version of the protocol that has none", async () => {
    const response = await client.post(`[${json},${json}]`);
    const { error } = await response.json();
    assert.deepEqual([response.status, error.code], [400, -32600]);
    assert.match(error.message, /2025-03-26 only, and this session speaks 2025-11-25/);
  });
  await t.step("no UTF-8", async () => {
    const body = new Uint8Array([...new TextEncoder().encode('{"jsonrpc":"2.0","id":"'), 0xff, 0x22, 0x7d]);
    const response = await client.fetch("POST", { body });
    assert.deepEqual([response.status, (await response.json()).error.code], [400, -32700]);
  });
  await t.step("exactly 1 MiB, declared and chunked", async () => {
    const text = padded(1024 * 1024);
    for (const body of [text, new Blob([text]).stream()]) {
      const response = await client.fetch("POST", { body });
      assert.equal(response.status, 200);
      assert.match(await response.text(), /"result":\{\}/);
    }
  });
  for (const method of ["PUT", "PATCH", "OPTIONS"]) {
    await t.step(`${method} is no method of the endpoint`, async () => {
      const response = await client.fetch(method, {});
      assert.equal(response.status, 405);
      assert.equal(response.headers.get("allow"), "GET, POST, DELETE");
      await response.body?.cancel();
    });
  }
  for (const path of ["/", "/mcp/", "/MCP", "/other", "/mcp%2f"]) {
    await t.step(`${path} is no path`, async () => {
      const { status, body } = await run.get(path);
      assert.deepEqual([status, body.error.code, body.error.message], [404, -32000, "Not found"]);
    });
  }
  await t.step(
    "the session works on",
    async () => assert.ok((await client.callTool("browser_snapshot")).result),
  );
});

Deno.test("a body that is too large is refused, and the client can go on", async (t) => {
  await using run = await HttpRun.start({ args: ["--http-max-body-bytes", "1048576"] });
  const client = await run.open();
  const bodies: ReadonlyArray<readonly [title: string, body: () => BodyInit]> = [
    ["declared, 1 byte too many", () => padded(1024 * 1024 + 1)],
    ["chunked, 1 byte too many", () => new Blob([padded(1024 * 1024 + 1)]).stream()],
    ["declared, twice as large", () => padded(2 * 1024 * 1024)],
    ["chunked, twice as large", () => new Blob([padded(2 * 1024 * 1024)]).stream()],
  ];
  await t.step("a connection that cannot be used again says so", async () => {
    using connection = await RawConnection.open(run.port);
    const head = [
      "POST /mcp HTTP/1.1",
      `Host: 127.0.0.1:${run.port}`,
      "Accept: application/json, text/event-stream",
      "Content-Type: application/json",
      "Content-Length: 2000000",
    ];
    // None of the body follows: the server cannot know where the next request would begin.
    await connection.write(`${head.join("\r\n")}\r\n\r\n`);
    await connection.until(/too large/);
    const { status, headers } = parseResponse(connection.received);
    assert.deepEqual([status, headers.get("connection")], [413, "close"]);
  });
  for (const [title, body] of bodies) {
    await t.step(title, async () => {
      for (let round = 0; round < 5; round++) {
        const response = await client.fetch("POST", { body: body() });
        assert.deepEqual([response.status, (await response.json()).error.code], [413, -32000]);
        assert.ok((await client.request("ping")).result);
      }
    });
  }
});

Deno.test("a body on many lines reaches upstream as one", async () => {
  await using run = await HttpRun.start();
  const client = await run.open();
  const message = {
    jsonrpc: "2.0",
    id: 5,
    method: "tools/call",
    params: { name: "meta", arguments: { a: [1, "\n"] } },
  };
  for (
    const text of [
      JSON.stringify(message, null, 2),
      JSON.stringify(message, null, "\t").replaceAll("\n", "\r\n"),
    ]
  ) {
    const response = await client.post(text);
    assert.deepEqual((await response.json()).result.structuredContent.params, message.params);
  }
});

Deno.test("a second initialize in a session is refused and the session goes on", async () => {
  await using run = await HttpRun.start();
  const client = await run.open();
  const answer = await client.request("initialize", { protocolVersion: "2025-11-25", capabilities: {} });
  assert.equal(typeof answer.error?.code, "number");
  assert.ok((await client.request("ping")).result);
});

Deno.test("probes answer, and only to GET and HEAD", async (t) => {
  await using run = await HttpRun.start({ args: ["--http-session-max", "3", "--http-warm-spares", "0"] });
  await t.step("healthz", async () => {
    const { status, body } = await run.get("/healthz");
    assert.equal(status, 200);
    assert.deepEqual([body.status, body.transport], ["ok", "streamable-http"]);
    assert.ok(body.version && body.uptimeMs >= 0);
  });
  await t.step("readyz", async () => {
    const client = await run.open();
    const { status, body } = await run.get("/readyz?verbose=1");
    assert.deepEqual([status, body.status], [200, "ready"]);
    assert.deepEqual(body.sessions, { active: 1, pending: 0, max: 3, available: 2 });
    await client.end();
  });
  for (const path of ["/healthz", "/readyz"]) {
    await t.step(`${path} by HEAD and POST`, async () => {
      assert.equal((await run.get(path, { method: "HEAD" })).status, 200);
      const { status, body, headers } = await run.get(path, { method: "POST", body: "{}" });
      assert.deepEqual([status, body.status], [405, "method_not_allowed"]);
      assert.match(headers.get("allow") ?? "", /GET/);
    });
  }
});

/** Status and code of a request that is refused, within the bound of the case. */
async function refusal(
  client: HttpClient,
  method: string,
  headers: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const tries: Cell[] = [];
  do tries.push(await cell(client, method, headers)); while (
    (tries.at(-1)?.tookMs ?? 0) >= REFUSED_WITHIN_MS && tries.length < TRIES
  );
  const tookMs = tries.map((each) => each.tookMs);
  assert.ok(Math.min(...tookMs) < REFUSED_WITHIN_MS, `took ${tookMs} ms`);
  return [tries[0]?.status, tries[0]?.code];
}

/** A ping of this size in bytes. */
function padded(bytes: number): string {
  const text = JSON.stringify({ ...PING, params: { _meta: { pad: "" } } });
  return text.replace('"pad":"', `"pad":"${"x".repeat(bytes - text.length)}`);
}

Deno.test("a session of MCP 2025-03-26 may send batches", async (t) => {
  await using run = await HttpRun.start();
  const client = run.client();
  const { result } = await client.initialize({ protocolVersion: "2025-03-26" });
  assert.equal(result.protocolVersion, "2025-03-26");
  const call = (id: number, name: string, args: unknown = {}): unknown => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args },
  });
  const post = async (batch: unknown): Promise<Response> => await client.post(JSON.stringify(batch));
  await t.step("requests, notifications and what is wrong, answered together", async () => {
    const response = await post([
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
      { jsonrpc: "1.0", id: 2, method: "ping" },
      call(3, "pid"),
    ]);
    assert.equal(response.status, 200);
    const answers: Message[] = await response.json();
    assert.deepEqual(answers.map((each) => each.id).toSorted(), [1, 2, 3]);
    assert.equal(answers.find((each) => each.id === 2).error.code, -32600);
    assert.ok(answers.find((each) => each.id === 3).result.structuredContent.pid);
  });
  await t.step("one that takes its time becomes a stream", async () => {
    const response = await post([call(4, "slow", { ms: 400 }), call(5, "pid")]);
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    const events = await new EventReader(response).rest();
    assert.deepEqual(events.map((event) => JSON.parse(event.data).id), [5, 4]);
  });
  await t.step("without requests it is accepted", async () => {
    const response = await post([{ jsonrpc: "2.0", method: "notifications/roots/list_changed" }]);
    assert.deepEqual([response.status, await response.text()], [202, ""]);
  });
  const refused: readonly (readonly [title: string, batch: unknown, message: RegExp])[] = [
    ["an empty one", [], /the batch is empty/],
    ["initialize in it", [{ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }], /must stand alone/],
    ["too many", Array.from({ length: 101 }, (_, id) => call(id, "pid")), /at most 100/],
    ["an id twice", [call(7, "pid"), call(7, "pid")], /Request id 7 is in use/],
  ];
  for (const [title, batch, message] of refused) {
    await t.step(title, async () => {
      const response = await post(batch);
      const { error } = await response.json();
      assert.deepEqual([response.status, error.code], [400, -32600]);
      assert.match(error.message, message);
    });
  }
  await t.step("initialize in a batch opens no session", async () => {
    const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: initializeParams() };
    const response = await run.client().post(JSON.stringify([initialize]));
    assert.equal(response.status, 400);
    await response.body?.cancel();
  });
});
