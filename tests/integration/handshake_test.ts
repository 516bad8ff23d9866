import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";
import { FakeRun } from "../harness/fake_run.ts";
import { CLIENT_PROTOCOL_VERSION } from "../harness/stdio_client.ts";

Deno.test("initialize is answered with upstream's result under the bridge's name", async () => {
  await using direct = new FakeRun();
  await using run = new BridgeRun();
  const {
    serverInfo: _their,
    instructions: theirInstructions,
    capabilities: theirCapabilities,
    ...theirRest
  } = (await direct.client.initialize()).result;
  const { serverInfo, instructions, capabilities, ...rest } = (await run.client.initialize()).result;
  assert.deepEqual(rest, theirRest, "members that the bridge has no business with");
  assert.equal(serverInfo.name, "cloakbrowser-mcp");
  assert.ok(serverInfo.version && serverInfo.title && serverInfo.websiteUrl && serverInfo.icons.length > 0);
  assert.ok(instructions.includes(theirInstructions), "upstream's instructions are kept");
  assert.deepEqual(capabilities, {
    ...theirCapabilities,
    tools: { ...theirCapabilities.tools, listChanged: true },
  });
});

Deno.test("initialize reaches upstream with the client's own parameters, and once", async () => {
  await using run = new BridgeRun();
  const params = {
    protocolVersion: CLIENT_PROTOCOL_VERSION,
    capabilities: { roots: {}, experimental: { "example.org/x": { y: [null] } }, invented: 1 },
    clientInfo: { name: "raw", version: "1", title: "Raw", "x-client-ext": true },
    _meta: { "example.org/m": 0 },
    "x-params-ext": { kept: true },
  };
  await run.client.initialize(params);
  await run.client.request("ping");
  const frames = run.log.frames("initialize");
  assert.equal(frames.length, 1);
  assert.deepEqual(frames[0]?.message.params, params);
  assert.equal(run.log.frames("notifications/initialized").length, 1);
});

Deno.test("a request before initialize is refused and not forwarded", async () => {
  await using run = new BridgeRun();
  for (const method of ["tools/list", "tools/call", "resources/list", "x/unknown"]) {
    const { error } = await run.client.request(method, { name: "browser_navigate", arguments: {} });
    assert.ok(error, `${method} must be refused`);
    assert.equal(typeof error.code, "number");
    assert.match(error.message, /initialize/);
  }
  assert.ok((await run.client.initialize()).result, "the handshake still works");
  await run.client.request("ping");
  const methods = run.log.frames().map((entry) => entry.message.method);
  assert.deepEqual(methods.filter((method) => method !== "ping"), [
    "initialize",
    "notifications/initialized",
  ]);
});

Deno.test("a second initialize is refused and the session goes on", async () => {
  await using run = await BridgeRun.initialized();
  const { error } = await run.client.request("initialize", {
    protocolVersion: CLIENT_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: "again", version: "1" },
  });
  assert.equal(typeof error?.code, "number");
  assert.equal(run.log.frames("initialize").length, 1);
  assert.ok((await run.client.callTool("browser_snapshot")).result);
});

Deno.test("requests sent in one write with initialize are answered in their order", async () => {
  await using run = new BridgeRun({ fake: ["--initialize-delay", "300"] });
  const { client } = run;
  const initialize = {
    protocolVersion: CLIENT_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: "hasty", version: "1" },
  };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/list" },
    {
      jsonrpc: "2.0",
      id: 3,
      method: "tools/call",
      params: { name: "browser_navigate", arguments: { n: 1 } },
    },
    {
      jsonrpc: "2.0",
      id: 4,
      method: "tools/call",
      params: { name: "browser_navigate", arguments: { n: 2 } },
    },
  ];
  await client.writeRaw(messages.map((message) => JSON.stringify(message) + "\n").join(""));
  for (const id of [1, 2, 3, 4]) assert.ok((await client.answerTo(id)).result, `answer ${id}`);
  const calls = run.log.calls("browser_navigate").map((entry) => entry.message.params.arguments.n);
  assert.deepEqual(calls, [1, 2]);
});
