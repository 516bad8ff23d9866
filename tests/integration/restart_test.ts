/** Restart before forward: one at a time, only for calls, and each call forwarded exactly once. */
import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";
import { countOpenFiles } from "../harness/proc_stat.ts";
import type { Message } from "../harness/stdio_client.ts";
import { until } from "../harness/until.ts";

Deno.test("a restart that fails answers the call that waits, and the next call tries again", async () => {
  await using run = await BridgeRun.initialized({ fake: ["--fail", "not today", "--fail-starts", "2"] });
  const { client, log } = run;
  await client.callTool("die", { code: 1 });
  const failed = await client.callTool("browser_navigate", { n: 1 });
  assert.equal(failed.result.isError, true);
  assert.match(failed.result.content[0].text, /not today/);
  const works = await client.callTool("browser_navigate", { n: 2 });
  assert.deepEqual(works.result.structuredContent.arguments, { n: 2 });
  assert.equal(log.pids().length, 3);
  assert.deepEqual(log.calls("browser_navigate").map((entry) => entry.message.params.arguments.n), [2]);
});

Deno.test("requests that wait for a restart which hangs are answered at the start-up bound", async () => {
  await using run = await BridgeRun.initialized({
    fake: ["--mute-starts", "2"],
    env: { CLOAK_PLAYWRIGHT_MCP_UPSTREAM_START_TIMEOUT_MS: "1000" },
  });
  const { client, log } = run;
  await client.callTool("die", { code: 1 });
  const [call, other] = await Promise.all([
    client.callTool("browser_navigate", { n: 1 }),
    client.request("resources/list", {}, { id: "waits" }),
  ]);
  assert.equal(call.result.isError, true);
  assert.equal(typeof other.error?.code, "number");
  assert.ok((await client.callTool("browser_navigate", { n: 2 })).result.structuredContent);
  assert.equal(log.pids().length, 3);
  assert.deepEqual(log.calls("browser_navigate").map((entry) => entry.message.params.arguments.n), [2]);
});

Deno.test("replacements leave no open files and no processes behind", async () => {
  await using run = await BridgeRun.initialized();
  const { client, tree } = run;
  const replace = async (): Promise<void> => {
    await client.callTool("die", { signal: "SIGKILL" });
    assert.ok((await client.callTool("browser_navigate")).result.structuredContent);
  };
  await replace();
  const before = countOpenFiles(client.pid) ?? 0;
  for (let count = 0; count < 5; count++) await replace();
  await until("open files back to before", () => (countOpenFiles(client.pid) ?? Infinity) <= before, 5_000);
  tree.record();
  await until("one bridge, one child", () => tree.running().length === 2, 5_000);
});

Deno.test("calls at once on a lost upstream share one restart and are forwarded once each", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  await client.callTool("die", { code: 1 });
  const answers = await Promise.all(
    [1, 2, 3, 4, 5].map((n) => client.callTool("browser_navigate", { n })),
  );
  assert.deepEqual(answers.map((answer) => answer.result.structuredContent.arguments.n), [1, 2, 3, 4, 5]);
  assert.equal(log.pids().length, 2, "one restart");
  const calls = log.calls("browser_navigate");
  assert.deepEqual(calls.map((entry) => [entry.start, entry.message.params.arguments.n]), [
    [2, 1],
    [2, 2],
    [2, 3],
    [2, 4],
    [2, 5],
  ]);
});

Deno.test("a new generation gets the client's own handshake", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  await client.callTool("die", { code: 1 });
  await client.callTool("browser_navigate");
  const [first, second] = log.frames("initialize");
  assert.deepEqual(second?.message.params, first?.message.params);
  const order = log.frames().filter((entry) => entry.start === 2).map((entry) => entry.message.method);
  assert.deepEqual(order.slice(0, 3), ["initialize", "notifications/initialized", "tools/call"]);
  assert.equal(client.inbox.all((message) => message.result?.protocolVersion !== undefined).length, 1);
});

Deno.test("a lost upstream is not replaced for anything but a call", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  const before = (await client.request("tools/list")).result;
  await client.request("tools/list", { cursor: "p2" });
  await client.callTool("die", { code: 1 });
  assert.deepEqual((await client.request("tools/list")).result, before, "answered from what was known");
  const second = (await client.request("tools/list", { cursor: "p2" })).result;
  assert.deepEqual(second.tools.map((tool: Message) => tool.name), ["t2"]);
  assert.deepEqual((await client.request("ping")).result, {});
  for (const method of ["resources/list", "prompts/list", "example.org/unknown"]) {
    const { error } = await client.request(method);
    assert.equal(typeof error?.code, "number", method);
  }
  await client.notify("notifications/roots/list_changed");
  await client.notify("notifications/cancelled", { requestId: "unknown" });
  assert.equal(log.pids().length, 1);
});

Deno.test("a changed tool list after a restart is announced, an unchanged one is not", async (t) => {
  await t.step("changed", async () => {
    await using run = await BridgeRun.initialized({ fake: ["--more-tools-from", "2"] });
    const { client } = run;
    await client.request("tools/list");
    await client.callTool("die", { code: 1 });
    await client.callTool("browser_navigate");
    await client.incoming("notifications/tools/list_changed");
    const { tools } = (await client.request("tools/list")).result;
    assert.ok(tools.some((tool: Message) => tool.name === "t3"));
  });
  await t.step("unchanged", async () => {
    await using run = await BridgeRun.initialized();
    const { client, log } = run;
    await client.request("tools/list");
    await client.callTool("die", { code: 1 });
    await client.callTool("browser_navigate");
    await log.next(
      "the bridge's own listing",
      (entry) => entry.start === 2 && entry.message?.method === "tools/list",
    );
    await client.callTool("browser_navigate");
    await client.request("tools/list");
    const announced = client.inbox.all((message) => message.method === "notifications/tools/list_changed");
    assert.deepEqual(announced, []);
  });
});

Deno.test("a call that is cancelled while it waits for a restart is not forwarded", async () => {
  await using run = await BridgeRun.initialized({ fake: ["--initialize-delay", "400"] });
  const { client, log } = run;
  await client.callTool("die", { code: 1 });
  const kept = client.callTool("browser_navigate", { n: "kept" });
  const params = { name: "browser_navigate", arguments: { n: "cancelled" } };
  await client.send({ jsonrpc: "2.0", id: "given up", method: "tools/call", params });
  await client.notify("notifications/cancelled", { requestId: "given up" });
  assert.equal((await kept).result.structuredContent.arguments.n, "kept");
  await client.request("ping");
  assert.deepEqual(log.calls("browser_navigate").map((entry) => entry.message.params.arguments.n), ["kept"]);
  assert.deepEqual(client.inbox.all((message) => message.id === "given up"), []);
});
