/** What upstream asks of the client: roots, sampling, elicitation, and methods that nobody knows. */
import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";
import { FakeRun } from "../harness/fake_run.ts";
import type { Message, StdioClient } from "../harness/stdio_client.ts";

const QUESTIONS: ReadonlyArray<readonly [tool: string, args: unknown, method: string, answer: Message]> = [
  ["roots", {}, "roots/list", { result: { roots: [{ uri: "file:///r", name: "r", "x-root-ext": 1 }] } }],
  ["sample", {}, "sampling/createMessage", {
    result: { role: "assistant", content: { type: "hologram", x: [null] }, model: "m", "x-ext": {} },
  }],
  ["elicit", {}, "elicitation/create", { result: { action: "accept", content: { name: "é—読🎉" } } }],
  ["roots", {}, "roots/list", { error: { code: -32601, message: "No roots here", data: { why: [1] } } }],
  ["ask", { method: "example.org/what", params: { deep: [{ a: null }] } }, "example.org/what", {
    result: { anything: [1, "2"] },
    "x-envelope-ext": true,
  }],
  ["ask", { method: "ping" }, "ping", { result: {} }],
];

Deno.test("requests of upstream and the client's answers cross unchanged", async (t) => {
  await using direct = await FakeRun.initialized();
  await using run = await BridgeRun.initialized();
  for (const [tool, args, method, answer] of QUESTIONS) {
    await t.step(`${method} ${Object.keys(answer)[0]}`, async () => {
      const expected = await answerOnce(direct.client, tool, args, method, answer);
      const actual = await answerOnce(run.client, tool, args, method, answer);
      assert.deepEqual(actual.asked, expected.asked);
      assert.deepEqual(actual.heard, expected.heard, "with the id that upstream gave");
    });
  }
});

Deno.test("several requests of upstream are told apart by their ids", async () => {
  await using run = await BridgeRun.initialized();
  const { client } = run;
  const calls = [client.callTool("ask", { method: "q/a" }), client.callTool("ask", { method: "q/b" })];
  const [a, b] = await Promise.all([client.incoming("q/a"), client.incoming("q/b")]);
  assert.notDeepEqual(a.id, b.id);
  await client.send({ jsonrpc: "2.0", id: b.id, result: { of: "b" } });
  await client.send({ jsonrpc: "2.0", id: a.id, result: { of: "a" } });
  const answers = (await Promise.all(calls)).map((message) => message.result.structuredContent.answer.result);
  assert.deepEqual(answers, [{ of: "a" }, { of: "b" }]);
});

Deno.test("an answer that nobody asked for reaches nobody", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  for (const id of [1, "1", "g1:1", 999]) await client.send({ jsonrpc: "2.0", id, result: {} });
  await client.send({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } });
  assert.ok((await client.callTool("browser_snapshot")).result);
  assert.deepEqual(log.entries("stray_answer"), []);
});

Deno.test("requests of a dead generation are cancelled, and late answers to them dropped", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  const lost = client.callTool("roots", {}, { id: "asks" });
  const first = await client.incoming("roots/list");
  const death = client.callTool("die", { code: 3 });
  const cancelled = await client.incoming("notifications/cancelled");
  assert.deepEqual(cancelled.params.requestId, first.id);
  assert.equal((await lost).result.isError, true);
  await death;

  await client.callTool("browser_navigate", {});
  const from = client.inbox.lines.length;
  const again = client.callTool("roots");
  const second = await client.incoming("roots/list", { from });
  assert.notDeepEqual(second.id, first.id, "the same id of upstream, another generation");
  await client.send({ jsonrpc: "2.0", id: first.id, result: { roots: [{ uri: "file:///late" }] } });
  await client.send({ jsonrpc: "2.0", id: second.id, result: { roots: [{ uri: "file:///now" }] } });
  const { answer } = (await again).result.structuredContent;
  assert.deepEqual(answer.result, { roots: [{ uri: "file:///now" }] });
  assert.deepEqual(log.entries("stray_answer"), []);
});

Deno.test("upstream's cancellation of its own request names the id that the client knows", async () => {
  await using run = await BridgeRun.initialized();
  const { client } = run;
  const call = client.callTool("ask", { method: "q/long" });
  const asked = await client.incoming("q/long");
  // The fake numbers its requests from 1 on.
  const params = { requestId: 1, reason: "Not needed any more", "x-ext": 1 };
  await client.callTool("emit", { method: "notifications/cancelled", params });
  const cancelled = await client.incoming("notifications/cancelled");
  assert.deepEqual(cancelled.params, { ...params, requestId: asked.id });
  await client.notify("notifications/cancelled", { requestId: "nothing" });
  call.catch(() => {}); // stays open until the run ends
  await client.callTool("die", { code: 0 });
  assert.equal((await call).result.isError, true);
});

/** Lets a tool of the fake ask its question, answers it, and returns both sides' view. */
async function answerOnce(
  client: StdioClient,
  tool: string,
  args: unknown,
  method: string,
  answer: Message,
): Promise<{ asked: Message; heard: Message }> {
  const from = client.inbox.lines.length;
  const call = client.callTool(tool, args);
  const { id, ...asked } = await client.incoming(method, { from });
  await client.send({ jsonrpc: "2.0", id, ...answer });
  return { asked, heard: (await call).result.structuredContent };
}
