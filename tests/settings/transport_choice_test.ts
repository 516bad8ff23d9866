import assert from "node:assert/strict";
import { inFile, refusals, settle } from "./settle.ts";

const STDIO = { flag: "--transport", value: "stdio" };
const PORT = { flag: "--port", value: "8931" };

Deno.test("chooseTransport() serves over HTTP for Playwright MCP's port flag and variable", async () => {
  const byFlag = await settle({ flags: [PORT] });
  assert.equal(byFlag.settings.transport, "streamable-http");
  assert.equal(byFlag.settings.httpPort, 8931);
  assert.deepEqual(byFlag.origins.transport, { kind: "flag", name: "--port" });
  assert.deepEqual(byFlag.notices, []);
  const byEnv = await settle({ env: { PLAYWRIGHT_MCP_PORT: "8931", PLAYWRIGHT_MCP_HOST: "localhost" } });
  assert.equal(byEnv.settings.transport, "streamable-http");
  assert.equal(byEnv.settings.httpPort, 8931);
  assert.equal(byEnv.settings.httpHost, "localhost");
});

Deno.test("chooseTransport() takes the other server flags of Playwright MCP", async () => {
  const { settings } = await settle({
    flags: [
      PORT,
      { flag: "--host", value: "::1" },
      { flag: "--allowed-hosts", value: "a.example,b.example:80" },
      { flag: "--allowed-host", value: "c.example" },
    ],
  });
  assert.equal(settings.httpHost, "::1");
  assert.deepEqual(settings.allowedHosts, ["a.example", "b.example:80", "c.example"]);
  assert.deepEqual(settings.upstreamArgs, []);
});

Deno.test("chooseTransport() is not swayed by our own port option", async () => {
  const { settings, notices } = await settle({ flags: [{ flag: "--http-port", value: "1" }] });
  assert.equal(settings.transport, "stdio");
  assert.equal(notices.length, 1);
  const both = await settle({ flags: [PORT, { flag: "--http-port", value: "1" }] });
  assert.equal(both.settings.transport, "streamable-http");
  assert.equal(both.settings.httpPort, 1);
});

Deno.test("chooseTransport() refuses a port beside stdio from a source of the same strength", async () => {
  assert.match(
    (await refusals({ flags: [PORT, STDIO] })).join(),
    /^Cannot use --port with --transport stdio: .*Leave one of them out$/,
  );
  const env = { PLAYWRIGHT_MCP_PORT: "1", CLOAK_PLAYWRIGHT_MCP_TRANSPORT: "stdio" };
  assert.match((await refusals({ env })).join(), /PLAYWRIGHT_MCP_PORT with CLOAK_PLAYWRIGHT_MCP_TRANSPORT/);
});

Deno.test("chooseTransport() follows the stronger source", async () => {
  const flag = await settle({ flags: [PORT], env: { CLOAK_PLAYWRIGHT_MCP_TRANSPORT: "stdio" } });
  assert.equal(flag.settings.transport, "streamable-http");
  const env = await settle({ flags: [STDIO], env: { PLAYWRIGHT_MCP_PORT: "1" } });
  assert.equal(env.settings.transport, "stdio");
  assert.match(env.notices.join(), /PLAYWRIGHT_MCP_PORT has no effect over stdio/);
  const file = inFile({ transport: "stdio" });
  const { settings } = await settle({ ...file, flags: [PORT] });
  assert.equal(settings.transport, "streamable-http");
});

Deno.test("chooseTransport() takes an empty variable of Playwright MCP for none", async () => {
  const { settings, notices } = await settle({
    env: { PLAYWRIGHT_MCP_PORT: "", PLAYWRIGHT_MCP_HOST: "", PLAYWRIGHT_MCP_ALLOWED_HOSTS: "" },
  });
  assert.equal(settings.transport, "stdio");
  assert.deepEqual(notices, []);
});

Deno.test("chooseTransport() decides before the log level takes its default", async () => {
  assert.equal((await settle({})).settings.logLevel, "warn");
  assert.equal((await settle({ flags: [PORT] })).settings.logLevel, "info");
  const asked = await settle({ flags: [PORT, { flag: "--log-level", value: "warn" }] });
  assert.equal(asked.settings.logLevel, "warn");
});

Deno.test("chooseTransport() serves over HTTP for the path of a unix socket", async () => {
  const socket = { flag: "--http-socket", value: "s.sock" };
  assert.equal((await settle({ flags: [socket] })).settings.transport, "streamable-http");
  const byEnv = await settle({ env: { CLOAK_PLAYWRIGHT_MCP_HTTP_SOCKET: "s.sock" }, flags: [STDIO] });
  assert.equal(byEnv.settings.transport, "stdio");
  assert.match(
    (await refusals({ flags: [socket, STDIO] })).join(),
    /--http-socket with --transport stdio: it is for/,
  );
});
