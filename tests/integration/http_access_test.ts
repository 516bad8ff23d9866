/** Bearer tokens, and what the log tells of requests. */
import assert from "node:assert/strict";
import { until } from "../harness/until.ts";
import { inheritedEnvironment } from "../harness/bridge_run.ts";
import { HttpRun } from "../harness/http_run.ts";
import { bridgeCommand } from "../harness/target.ts";

const TOKENS = ["first-secret-token", "second-secret-token"] as const;
const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

const LOGGED_WITHIN_MS = 5_000;

Deno.test("a token is asked for, and a session belongs to its own", async (t) => {
  await using run = await HttpRun.start({ env: { CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN: TOKENS.join(",") } });
  const refused: ReadonlyArray<readonly [title: string, headers: Readonly<Record<string, string>>]> = [
    ["missing", {}],
    ["wrong", bearer("wrong")],
    ["longer", bearer(`${TOKENS[0]}x`)],
    ["both at once", bearer(TOKENS.join(","))],
    ["wrong scheme", { Authorization: `Basic ${TOKENS[0]}` }],
    ["no scheme", { Authorization: TOKENS[0] }],
    ["extra part", { Authorization: `Bearer ${TOKENS[0]} more` }],
    ["empty", { Authorization: "Bearer " }],
  ];
  for (const [title, headers] of refused) {
    await t.step(title, async () => {
      for (
        const path of ["/mcp", `/mcp?token=${TOKENS[0]}&access_token=${TOKENS[0]}`, "/healthz", "/readyz"]
      ) {
        const { status, headers: answered } = await run.get(path, { headers });
        assert.equal(status, 401, path);
        assert.match(answered.get("www-authenticate") ?? "", /^Bearer/);
      }
    });
  }
  await t.step("the path is judged before the token", async () => {
    assert.equal((await run.get("/nowhere")).status, 404);
  });
  await t.step("the scheme in any case", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      assert.equal(
        (await run.get("/healthz", { headers: { Authorization: `${scheme} ${TOKENS[0]}` } })).status,
        200,
      );
    }
  });
  const client = await run.open(bearer(TOKENS[0]));
  await t.step("another token does not find the session", async () => {
    const thief = run.client(bearer(TOKENS[1]));
    thief.sessionId = client.sessionId;
    for (const method of ["POST", "GET", "DELETE"]) {
      const body = method === "POST"
        ? { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) }
        : {};
      const response = await thief.fetch(method, body);
      assert.deepEqual([response.status, (await response.json()).error.code], [404, -32001], method);
    }
  });
  await t.step("no token does not either", async () => {
    const thief = run.client();
    thief.sessionId = client.sessionId;
    const response = await thief.post({ jsonrpc: "2.0", id: 1, method: "ping" });
    await response.body?.cancel();
    assert.equal(response.status, 401);
  });
  await t.step("its own does", async () => assert.ok((await client.callTool("browser_snapshot")).result));
  await t.step("the child does not get the tokens", async () => {
    const answer = JSON.stringify(await client.callTool("env"));
    for (const token of TOKENS) assert.ok(!answer.includes(token));
  });
  await t.step("the log does not tell them", () => {
    for (const token of TOKENS) assert.ok(!run.stderr.includes(token));
  });
});

Deno.test("probes can be open while the endpoint is not", async () => {
  await using run = await HttpRun.start({
    args: ["--http-open-probes"],
    env: { CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN: TOKENS[0] },
  });
  assert.equal((await run.get("/healthz")).status, 200);
  assert.equal((await run.get("/readyz")).status, 200);
  assert.equal((await run.get("/mcp")).status, 401);
});

Deno.test("the log has the address, and of requests neither query nor whole session id", async (t) => {
  await using run = await HttpRun.start();
  const client = await run.open();
  await run.get("/mcp?secret=query-value");
  await run.get("/nowhere?secret=query-value");
  await client.request("ping");
  await t.step("start line with the real port", () => {
    assert.match(
      run.stderr,
      new RegExp(`INFO cloakbrowser-mcp streamable-http listening url=http://127.0.0.1:${run.port}/mcp`),
    );
  });
  await t.step("a snippet for the client's configuration", () => {
    const json = / client configuration: (\{.*\})$/m.exec(run.stderr)?.[1] ?? "null";
    assert.equal(JSON.parse(json).mcpServers.browser.url, run.url);
  });
  // The log is written beside the answers, so its lines may come after them.
  const logged = (line: RegExp): Promise<unknown> =>
    until(
      `${line} in the log`,
      () => run.stderr.split("\n").some((each) => line.test(each)),
      LOGGED_WITHIN_MS,
    );
  await t.step("request lines", async () => {
    await logged(/ http request client=127\.0\.0\.1 duration_ms=\d+ method=GET path=\/nowhere .*status=404/);
    await logged(/ http request .*method=POST path=\/mcp .*session=[0-9a-f]{8} status=200/);
  });
  await t.step("nothing that is nobody's business", () => {
    assert.ok(!run.stderr.includes("query-value"));
    assert.ok(!run.stderr.includes(client.sessionId ?? "?"));
  });
  await t.step("nothing on stdout", () => assert.ok(!run.stderr.includes("[on stdout]")));
});

Deno.test("a level of the log is kept to", async () => {
  await using run = await HttpRun.start({ args: ["--log-level", "debug", "--log-format", "text"] });
  await run.get("/healthz");
  await until("a request in the log", () => run.stderr.includes(" http request "), LOGGED_WITHIN_MS);
  const levels = new Set(
    run.stderr.split("\n").filter((line) => line !== "").map((line) => line.split(" ")[1]),
  );
  assert.ok(levels.has("INFO") && !levels.has("TRACE"), `${[...levels]}`);
});

Deno.test("an address that others reach needs a token or the word of the operator", async (t) => {
  await t.step("refused without", async () => {
    const { command, args } = bridgeCommand();
    const { code, stderr } = await new Deno.Command(command, {
      args: [...args, "--transport", "streamable-http", "--http-host", "0.0.0.0", "--http-port", "0"],
      env: inheritedEnvironment(),
      clearEnv: true,
      stdin: "null",
    }).output();
    assert.equal(code, 2);
    assert.match(new TextDecoder().decode(stderr), /--allow-insecure-bind/);
  });
  await t.step("warned of with the operator's word", async () => {
    await using run = await HttpRun.start({ args: ["--http-host", "0.0.0.0", "--allow-insecure-bind"] });
    assert.match(run.stderr, /WARN cloakbrowser-mcp .*no token is set/);
  });
});

Deno.test("a port that is taken is named, and nothing is left running", async () => {
  await using run = await HttpRun.start();
  const { command, args } = bridgeCommand();
  const { code, stderr } = await new Deno.Command(command, {
    args: [...args, "--transport", "streamable-http", "--http-port", String(run.port)],
    env: { ...inheritedEnvironment(), PLAYWRIGHT_MCP_BROWSER_ENGINE: "playwright" },
    clearEnv: true,
    stdin: "null",
  }).output();
  assert.notEqual(code, 0);
  assert.ok(new TextDecoder().decode(stderr).includes(`Cannot listen on "127.0.0.1:${run.port}"`));
});
