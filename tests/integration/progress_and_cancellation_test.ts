/** Case forwarding-4, all but the call of 70 s, which is in patience_test.ts. */
import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";
import type { Message } from "../harness/stdio_client.ts";

Deno.test("forwarding-4 upstream sees every _meta and params key, the client its own token", async (t) => {
  await using run = await BridgeRun.initialized();
  const { client } = run;
  for (const token of [0, "0", "tok", undefined]) {
    await t.step(`progressToken ${JSON.stringify(token)}`, async () => {
      const meta = {
        ...(token === undefined ? {} : { progressToken: token }),
        "example.org/trace": { id: [1, null] },
        plain: "",
      };
      const params = { name: "meta", arguments: { a: 1 }, "x-param": { kept: true }, _meta: meta };
      const { structuredContent } = (await client.request("tools/call", params)).result;
      assert.deepEqual(structuredContent, { params, _meta: meta });

      const from = client.inbox.lines.length;
      await client.callTool("progress", { n: 5 }, { meta });
      const since = client.inbox.lines.slice(from).map((line) => line.message);
      const progress = since.slice(0, -1).map((message: Message) => message.params);
      assert.deepEqual(since.at(-1).result.content[0].text, "done", "the result comes last");
      const expected = token === undefined ? [] : [1, 2, 3, 4, 5].map((step) => ({
        progressToken: token,
        progress: step,
        total: 5,
        message: `step ${step}`,
        "x-progress-ext": true,
      }));
      assert.deepEqual(progress, expected);
    });
  }
});

Deno.test("forwarding-4 two clients with equal ids and tokens do not meet", async () => {
  await using one = await BridgeRun.initialized();
  await using two = await BridgeRun.initialized();
  const call = (run: BridgeRun, n: number): Promise<Message> =>
    run.client.callTool("progress", { n }, { id: "same", meta: { progressToken: "same" } });
  await Promise.all([call(one, 2), call(two, 3)]);
  const steps = (run: BridgeRun): number[] =>
    run.client.inbox.all((message) => message.method === "notifications/progress")
      .map((message) => message.params.total);
  assert.deepEqual([steps(one), steps(two)], [[2, 2], [3, 3, 3]]);
});

Deno.test("forwarding-4 a cancelled call is cancelled upstream at once and never answered", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  await client.send(slowCall("to cancel"));
  const arrival = await log.called("slow");
  const params = { requestId: "to cancel", reason: "Changed my mind", "x-ext": { kept: true } };
  const sentAt = performance.timeOrigin + performance.now();
  await client.notify("notifications/cancelled", params);
  const cancelled = await log.next("cancellation", (entry) => entry.kind === "cancelled");
  assert.ok(cancelled.at - sentAt <= 200, `took ${cancelled.at - sentAt} ms`);
  assert.deepEqual([cancelled.requestId, cancelled.known], [arrival.message.id, true]);
  assert.deepEqual(log.frames("notifications/cancelled")[0]?.message.params, {
    ...params,
    requestId: arrival.message.id,
  });
  await client.callTool("browser_snapshot");
  assert.deepEqual(client.inbox.all((message) => message.id === "to cancel"), []);
});

Deno.test("forwarding-4 cancelling an unknown or finished request is harmless", async () => {
  await using run = await BridgeRun.initialized();
  const { client } = run;
  await client.callTool("browser_snapshot", {}, { id: 77 });
  for (const requestId of ["unknown", 4711, 77, null, { odd: true }]) {
    await client.notify("notifications/cancelled", { requestId });
  }
  await client.notify("notifications/cancelled");
  assert.ok((await client.callTool("browser_snapshot")).result);
});

Deno.test("forwarding-4 ids as string and as number are two requests", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  await client.send(slowCall("7", 60_000));
  await client.send(slowCall(7, 400));
  await log.called("slow", 2);
  await client.notify("notifications/cancelled", { requestId: "7" });
  const answer = await client.answerTo(7);
  assert.equal(answer.result.content[0].text, "slept 400 ms");
  const cancelled = log.entries("cancelled").map((entry) => [entry.requestId, entry.known]);
  assert.deepEqual(cancelled, [["7", true]]);
  assert.deepEqual(client.inbox.all((message) => message.id === "7"), []);
});

Deno.test("an id that was cancelled can be used again", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  await client.send(slowCall("again"));
  await log.called("slow");
  await client.notify("notifications/cancelled", { requestId: "again" });
  assert.ok((await client.callTool("browser_snapshot", {}, { id: "again" })).result.structuredContent);
});

Deno.test("calls run side by side and are answered as they finish", async () => {
  await using run = await BridgeRun.initialized();
  const { client } = run;
  const slow = client.callTool("slow", { ms: 500 }, { id: "slow" });
  await Promise.all(Array.from({ length: 50 }, (_, n) => client.callTool("browser_navigate", { n })));
  assert.deepEqual(client.inbox.all((message) => message.id === "slow"), [], "the slow call still runs");
  assert.equal((await slow).result.content[0].text, "slept 500 ms");
  const order = run.log.calls("browser_navigate").map((entry) => entry.message.params.arguments.n);
  assert.deepEqual(order, Array.from({ length: 50 }, (_, n) => n), "forwarded in the client's order");
});

function slowCall(id: number | string, ms = 10_000): unknown {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "slow", arguments: { ms } } };
}
