import assert from "node:assert/strict";
import { refusals, settle, type Situation } from "../settle.ts";

function flag(name: string, ...values: readonly string[]): Situation {
  return {
    flags: [
      { flag: "--transport", value: "streamable-http" },
      ...values.map((value) => ({ flag: name, value })),
    ],
  };
}

async function refuses(name: string, values: readonly string[], text: RegExp): Promise<void> {
  for (const value of values) assert.match((await refusals(flag(name, value))).join(), text, value);
}

Deno.test("httpPort takes 0 to 65535 and nothing else", async () => {
  for (const port of ["0", "65535"]) {
    assert.equal((await settle(flag("--http-port", port))).settings.httpPort, Number(port));
  }
  await refuses(
    "--http-port",
    ["-1", "65536", "80.0", "x", "", "1e3", "9007199254740993"],
    /--http-port: it/,
  );
});

Deno.test("httpEndpoint has the rules of a path and leaves the probes alone", async () => {
  for (const path of ["/", "/mcp", "/a/b", "/healthz/mcp"]) {
    assert.equal((await settle(flag("--http-endpoint", path))).settings.httpEndpoint, path);
  }
  await refuses("--http-endpoint", ["mcp", "http://h/mcp"], /must start with "\/"/);
  await refuses("--http-endpoint", ["/mcp?x=1"], /query/);
  await refuses("--http-endpoint", ["/mcp#x"], /fragment/);
  await refuses("--http-endpoint", ["/mcp/"], /must not end with "\/"/);
  await refuses("--http-endpoint", ["/healthz", "/readyz", "/metrics"], /reserved/);
  await refuses("--http-endpoint", ["/a/../mcp", "/a b", "/ä"], /as it stands in a URL: "\//);
});

Deno.test("httpHost is a name or an address alone", async () => {
  await refuses(
    "--http-host",
    ["", "http://x", "[::1]", "localhost:80", "a b", "x/y", "me@x"],
    /--http-host: it/,
  );
});

Deno.test("httpAuthTokens come from lists, repeated flags and lines of a file", async () => {
  const tokens = async (situation: Situation): Promise<readonly string[]> =>
    (await settle(situation)).settings.httpAuthTokens;
  assert.deepEqual(await tokens(flag("--http-auth-token", "a, b", "c")), ["a", "b", "c"]);
  assert.deepEqual(await tokens({ env: { CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN: "a,b" } }), ["a", "b"]);
  const files = { "/t": "one\r\n\n  two \nth,ree\n" };
  const lines = ["one", "two", "th,ree"];
  assert.deepEqual(await tokens({ env: { CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN_FILE: "/t" }, files }), lines);
  assert.deepEqual(await tokens({ ...flag("--http-auth-token-file", "/t"), files }), lines);
});

Deno.test("httpAuthTokens that are blank or cannot be sent are refused, and not shown", async () => {
  await refuses("--http-auth-token", ["", "  ", ",", "[]", '["a",""]'], /must not be blank/);
  await refuses(
    "--http-auth-token",
    ["s3cret word", "s3crét"],
    /the value of --http-auth-token: it must consist/,
  );
  const problems = await refusals(flag("--http-auth-token", "s3cret word"));
  assert.ok(!problems.join().includes("s3cret"));
  const empty = { env: { CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN_FILE: "/t" }, files: { "/t": "\n\n" } };
  assert.match((await refusals(empty)).join(), /HTTP_AUTH_TOKEN_FILE: it must not be blank/);
});

Deno.test("httpSessionIdleTtlMs and httpSessionMax are positive", async () => {
  await refuses("--http-session-idle-ttl-ms", ["0", "-1", "1.5", "2147483648"], /from 1 to/);
  await refuses("--http-session-max", ["0", "-1", "x"], /from 1 to/);
  await refuses("--http-session-per-client-max", ["0"], /from 1 to/);
});

Deno.test("httpSessionBackend and httpProtocol name their choices", async () => {
  await refuses("--http-session-backend", ["redis"], /must be "memory"/);
  await refuses("--http-protocol", ["h2", "HTTPS"], /must be "http" or "https"/);
});

Deno.test("allowedHosts are authorities", async () => {
  const { settings } = await settle(flag("--allowed-host", "A.example", "[::1]:80,b", "*"));
  assert.deepEqual(settings.allowedHosts, ["A.example", "[::1]:80", "b", "*"]);
  await refuses(
    "--allowed-host",
    ["http://a.example", "a.example/x", "*.example/", "a:x", "x,[zz]"],
    /not "/,
  );
});

Deno.test("allowedOrigins are exact origins", async () => {
  const origins = [
    "https://app.example",
    "http://localhost:5173",
    "http://[::1]:80",
    "chrome-extension://abc",
  ];
  assert.deepEqual((await settle(flag("--allowed-origin", ...origins))).settings.allowedOrigins, origins);
  const wrong = [
    "*",
    "null",
    "app.example",
    "https://app.example/",
    "https://*.example",
    "https://a/b",
    "https:",
  ];
  await refuses("--allowed-origin", wrong, /must hold origins/);
});

Deno.test("trustProxy are addresses and ranges", async () => {
  const { settings } = await settle(flag("--trust-proxy", "10.0.0.0/8,::1", "unix"));
  assert.deepEqual(settings.trustProxy, ["10.0.0.0/8", "::1", "unix"]);
  await refuses("--trust-proxy", ["10.0.0.0/33", "proxy.example", "10.0.0/8", "::/129", "1.2.3.4/"], /CIDR/);
});

Deno.test("httpCallRate and httpSessionRate are rates", async () => {
  const { settings } = await settle(flag("--http-call-rate", "100/60s"));
  assert.equal(settings.httpCallRate, "100/60s");
  await refuses("--http-call-rate", ["100", "0/s", "1/0s", "x/s", "1/day", ""], /--http-call-rate: it must/);
  await refuses("--http-session-rate", ["-1/s"], /--http-session-rate/);
});
