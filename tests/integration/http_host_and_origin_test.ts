/** Case http-4: a web page that gets at the server through a name of its own, or across origins, is sent away. */
import assert from "node:assert/strict";
import { HttpRun } from "../harness/http_run.ts";
import { rawRequest, type RawResponse } from "../harness/raw_http.ts";

const BODY = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

Deno.test("http-4 foreign names and origins are refused before routing", async (t) => {
  await using run = await HttpRun.start({ args: ["--http-warm-spares", "0"] });
  const { port } = run;
  const hosts: ReadonlyArray<readonly [hosts: readonly string[], allowed: boolean]> = [
    [[`127.0.0.1:${port}`], true],
    [[`localhost:${port}`], true],
    [[`[::1]:${port}`], true],
    [[`LOCALHOST:${port}`], true],
    [["localhost"], true],
    [[`evil.example:${port}`], false],
    [["localhost.evil.example"], false],
    [[`127.0.0.1:${port}.evil`], false],
    [[`evil.localhost:${port}`], false],
    [[`127.0.0.1:${port}`, `evil.example:${port}`], false],
    [[`evil.example:${port}`, `127.0.0.1:${port}`], false],
    [[], false],
  ];
  const origins: ReadonlyArray<readonly [origin: string | undefined, allowed: boolean]> = [
    [undefined, true],
    [`http://127.0.0.1:${port}`, true],
    ["null", false],
    ["http://evil.example", false],
    ["http://localhost.evil", false],
  ];
  const send = (line: string, names: readonly string[], origin: string | undefined): Promise<RawResponse> =>
    rawRequest(
      port,
      line,
      [
        ...names.map((name) => `Host: ${name}`),
        ...(origin === undefined ? [] : [`Origin: ${origin}`]),
        "Accept: application/json, text/event-stream",
        "Content-Type: application/json",
      ],
      line.startsWith("POST") ? BODY : "",
    );
  for (const [names, hostAllowed] of hosts) {
    await t.step(`Host ${names.join(" and ") || "absent"}`, async () => {
      for (const [origin, originAllowed] of origins) {
        const posted = await send("POST /mcp", names, origin);
        const elsewhere = await send("GET /nowhere", names, origin);
        const what = `${names} ${origin}: ${posted.status} ${posted.body}`;
        if (hostAllowed && originAllowed) {
          assert.match(posted.body, /No valid session ID/, what);
          assert.equal(elsewhere.status, 404, what);
          continue;
        }
        for (const refused of [posted, elsewhere]) {
          assert.ok(refused.status === 403 || refused.status === 400, `${what} ${refused.status}`);
          if (refused.status === 403 && origin !== "null") {
            assert.match(refused.body, /--allowed-(host|origin) /, what);
          }
        }
      }
    });
  }
  await t.step("the health route answers to every name", async () => {
    for (const name of [`127.0.0.1:${port}`, "evil.example", "10.0.0.7:80"]) {
      assert.equal((await send("GET /healthz", [name], "http://evil.example")).status, 200, name);
    }
  });
  await t.step("no child was started", () => assert.deepEqual(run.log.pids(), []));
});

Deno.test("http-4 names and origins that the operator allows are let in", async (t) => {
  const origin = "https://app.example";
  await using run = await HttpRun.start({
    args: ["--allowed-host", "mcp.example", "--allowed-origin", origin],
  });
  const common = ["Accept: application/json, text/event-stream", "Content-Type: application/json"];
  await t.step("host", async () => {
    const { body } = await rawRequest(run.port, "POST /mcp", ["Host: MCP.example:8443", ...common], BODY);
    assert.match(body, /No valid session ID/);
  });
  await t.step("preflight", async () => {
    const { status, headers } = await rawRequest(run.port, "OPTIONS /mcp", [
      `Host: 127.0.0.1:${run.port}`,
      `Origin: ${origin}`,
      "Access-Control-Request-Method: POST",
      "Access-Control-Request-Headers: content-type, mcp-session-id",
    ]);
    assert.equal(status, 204);
    assert.equal(headers.get("access-control-allow-origin"), origin);
    assert.match(headers.get("access-control-allow-headers") ?? "", /mcp-session-id/i);
  });
  await t.step("the session id can be read by the page", async () => {
    const client = await run.open({ Origin: origin });
    const { response } = await client.exchange("ping");
    assert.equal(response.headers.get("access-control-allow-origin"), origin);
    assert.match(response.headers.get("access-control-expose-headers") ?? "", /mcp-session-id/i);
  });
  await t.step("without an allowed origin no header of CORS is sent", async () => {
    const { response } = await (await run.open()).exchange("ping");
    assert.equal(response.headers.get("access-control-allow-origin"), null);
  });
});
