import assert from "node:assert/strict";
import type { FlagOccurrence } from "../../src/settings/upstream_options.ts";
import { inFile, refusals, settle, type Situation } from "./settle.ts";

/** `--flag value` pairs with the transport that makes them count. */
function http(...words: readonly string[]): Situation & { readonly flags: readonly FlagOccurrence[] } {
  const flags: FlagOccurrence[] = [{ flag: "--transport", value: "streamable-http" }];
  for (const word of words) {
    const [flag = "", value] = word.split("=");
    flags.push(value === undefined ? { flag } : { flag, value });
  }
  return { flags };
}

async function problem(...words: readonly string[]): Promise<string> {
  const problems = await refusals(http(...words));
  assert.equal(problems.length, 1, `${words}: ${problems.join(" | ")}`);
  return problems[0] ?? "";
}

Deno.test("judgeHttp() passes the defaults without a word", async () => {
  const { settings, notices } = await settle(http());
  assert.deepEqual(notices, []);
  assert.equal(settings.httpHost, "127.0.0.1");
  assert.equal(settings.httpPort, 3000);
  assert.equal(settings.httpEndpoint, "/mcp");
  assert.equal(settings.httpSessionBackend, "memory");
  assert.equal(settings.httpSessionIdleTtlMs, 3_600_000);
  assert.equal(settings.httpSessionMax, 32);
  assert.equal(settings.httpMaxBodyBytes, 4_194_304);
  assert.equal(settings.httpKeepaliveMs, 15_000);
  assert.equal(settings.httpWarmSpares, 1);
  assert.equal(settings.sessionOptionsAllow, undefined);
  assert.deepEqual(settings.httpAuthTokens, []);
});

Deno.test("judgeHttp() refuses an address that other machines reach without a token, naming the ways out", async () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.7", "mcp.example", "128.0.0.1", "localhost.example"]) {
    const text = await problem(`--http-host=${host}`);
    assert.ok(text.includes(`"${host}" for --http-host`), text);
    assert.match(text, /--http-auth-token-file or --http-auth-token.*--allow-insecure-bind/);
  }
  for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.1", "::1", "0:0:0:0:0:0:0:1"]) {
    assert.deepEqual(await refusals(http(`--http-host=${host}`)), [], host);
  }
  assert.deepEqual(await refusals(http("--http-host=192.0.2.7", "--http-auth-token=t0ken")), []);
});

Deno.test("judgeHttp() warns of an insecure bind that is allowed", async () => {
  const { notices } = await settle(http("--http-host=192.0.2.7", "--allow-insecure-bind"));
  assert.equal(notices.length, 1);
  assert.match(notices[0] ?? "", /"192.0.2.7" has the browser/);
});

Deno.test("judgeHttp() tells that a wildcard address answers to loopback names only", async () => {
  const { notices } = await settle(http("--http-host=0.0.0.0", "--http-auth-token=t0ken"));
  assert.match(notices.join(), /--allowed-host/);
  const named = await settle(
    http("--http-host=::", "--http-auth-token=t0ken-of-96-bits-x", "--allowed-host=mcp.example"),
  );
  assert.deepEqual(named.notices, []);
});

Deno.test("judgeHttp() warns of answering to any host name without a token", async () => {
  assert.match((await settle(http("--allowed-host=*"))).notices.join(), /--allowed-host answers to any/);
  assert.deepEqual((await settle(http("--allowed-host=*", "--http-auth-token=t"))).notices, []);
});

Deno.test("judgeHttp() warns of a token that can be guessed where others can try", async () => {
  const notices = async (host: string, token: string): Promise<string> =>
    (await settle(http(`--http-host=${host}`, `--http-auth-token=${token}`))).notices.join("\n");
  assert.match(
    await notices("192.0.2.7", "short"),
    /--http-auth-token has a token of less than 16 characters/,
  );
  assert.doesNotMatch(await notices("192.0.2.7", "sixteen-or-more!"), /guessed/);
  assert.doesNotMatch(await notices("127.0.0.1", "short"), /guessed/);
});

Deno.test("judgeHttp() wants certificate options with https only, and of one kind", async () => {
  for (const option of ["--https-cert=c", "--https-key=k", "--https-pfx=p", "--https-passphrase=x"]) {
    const text = await problem(option);
    assert.ok(text.includes("HTTPS certificate options require --http-protocol https"), text);
    assert.ok(text.includes(option.slice(0, option.indexOf("="))), text);
  }
  const https = "--http-protocol=https";
  assert.match(await problem(https), /requires either --https-cert and --https-key, or --https-pfx/);
  assert.match(await problem(https, "--https-cert=c"), /requires either/);
  assert.match(await problem(https, "--https-key=k"), /requires either/);
  assert.match(await problem(https, "--https-pfx=p", "--https-key=k"), /must use either/);
  assert.match(await problem(https, "--https-pfx=p", "--https-cert=c", "--https-key=k"), /must use either/);
  assert.deepEqual(await refusals(http(https, "--https-cert=c", "--https-key=k")), []);
  assert.deepEqual(await refusals(http(https, "--https-pfx=p", "--https-passphrase=x")), []);
});

Deno.test("judgeHttp() refuses blank certificate paths and passphrases", async () => {
  for (const flag of ["--https-cert", "--https-key", "--https-pfx", "--https-passphrase"]) {
    assert.ok((await refusals(http(`${flag}= `))).join().includes(`${flag}: it must not be blank`), flag);
  }
});

Deno.test("judgeHttp() refuses a socket together with an address, a port or TLS", async () => {
  const socket = "--http-socket=s.sock";
  for (const other of ["--http-host=::1", "--http-port=1", "--port=1", "--http-protocol=https"]) {
    const text = await problem(socket, other);
    assert.ok(text.includes("--http-socket together with"), text);
    assert.ok(text.includes(other.slice(0, other.indexOf("="))), text);
  }
  assert.deepEqual(await refusals(http(socket)), []);
  assert.equal((await settle(http(socket))).settings.httpSocket, "/srv/site/here/s.sock");
});

Deno.test("judgeHttp() refuses a socket path that the system cannot hold", async () => {
  assert.match(await problem(`--http-socket=/${"x".repeat(104)}`), /at most 103 bytes/);
});

Deno.test("judgeHttp() knows which options a session may set", async () => {
  const { settings } = await settle(http("--session-options-allow=headless"));
  assert.deepEqual(settings.sessionOptionsAllow, ["headless"]);
  assert.deepEqual((await settle(http("--session-options-allow="))).settings.sessionOptionsAllow, []);
  assert.match(await problem("--session-options-allow=headles"), /"headles".*did you mean "headless"/);
  assert.match(await problem("--session-options-allow=binaryPath"), /"binaryPath"/);
});

Deno.test("judgeHttp() notes over stdio what has no effect there, and refuses nothing", async () => {
  const { settings, notices } = await settle({
    flags: [{ flag: "--http-host", value: "0.0.0.0" }, { flag: "--https-cert", value: "c" }],
    env: { PLAYWRIGHT_MCP_ALLOWED_HOSTS: "mcp.example" },
  });
  assert.equal(settings.transport, "stdio");
  assert.equal(notices.length, 1);
  assert.match(
    notices[0] ?? "",
    /--http-host, --https-cert, PLAYWRIGHT_MCP_ALLOWED_HOSTS have no effect over stdio/,
  );
});

Deno.test("judgeHttp() judges what stands in a settings file too", async () => {
  const file = inFile({ transport: "streamable-http", httpHost: "0.0.0.0" });
  assert.match((await refusals(file)).join(), /"httpHost" in \/etc\/mcp\/settings.jsonc: other machines/);
});
