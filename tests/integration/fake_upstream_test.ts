/** The fixture itself, spoken to directly: what the other tests rely on. */
import assert from "node:assert/strict";
import { FakeRun } from "../harness/fake_run.ts";

Deno.test("fake upstream speaks every feature on its own pipes", async (t) => {
  await using run = await FakeRun.initialized();
  const { client, log } = run;

  await t.step("answers the requested revision with fields of its own", () => {
    const answer = client.inbox.lines[0]?.message.result;
    assert.equal(answer.protocolVersion, "2025-11-25");
    assert.deepEqual(answer["x-result-ext"], { kept: true });
  });

  await t.step("lists its tools on two pages and refuses other cursors", async () => {
    const first = (await client.request("tools/list")).result;
    assert.equal(first.nextCursor, "p2");
    assert.deepEqual(first.tools[0].annotations.inventedHint, { deep: [null, 0, ""] });
    const second = (await client.request("tools/list", { cursor: "p2" })).result;
    assert.deepEqual(second.tools.map((tool: { name: string }) => tool.name), ["t2"]);
    const refused = (await client.request("tools/list", { cursor: "nope" })).error;
    assert.deepEqual([refused.code, refused.data], [-32602, { cursor: "nope" }]);
  });

  await t.step("counts calls and echoes", async () => {
    await client.callTool("browser_navigate", { url: "about:blank" });
    const failed = (await client.callTool("browser_fail")).result;
    assert.equal(failed.isError, true);
    const { counts } = (await client.callTool("count")).result.structuredContent;
    assert.deepEqual(counts, { browser_navigate: 1, browser_fail: 1, count: 1 });
  });

  await t.step("sends progress before the result", async () => {
    const before = client.inbox.lines.length;
    await client.callTool("progress", { n: 3 }, { meta: { progressToken: 0 } });
    const since = client.inbox.lines.slice(before).map((line) => line.message);
    assert.deepEqual(since.map((message) => message.params?.progress ?? "result"), [1, 2, 3, "result"]);
  });

  await t.step("asks the client", async () => {
    const call = client.callTool("roots");
    const asked = await client.incoming("roots/list");
    await client.send({ jsonrpc: "2.0", id: asked.id, result: { roots: [] } });
    const { answer } = (await call).result.structuredContent;
    assert.deepEqual(answer, { jsonrpc: "2.0", id: asked.id, result: { roots: [] } });
  });

  await t.step("does not answer a cancelled call", async () => {
    await client.send({
      jsonrpc: "2.0",
      id: "c1",
      method: "tools/call",
      params: { name: "slow", arguments: { ms: 60_000 } },
    });
    await log.called("slow");
    await client.notify("notifications/cancelled", { requestId: "c1" });
    const cancelled = await log.next("cancellation", (entry) => entry.kind === "cancelled");
    assert.deepEqual([cancelled.requestId, cancelled.known], ["c1", true]);
  });

  await t.step("writes characters byte by byte", async () => {
    const { result } = await client.callTool("utf8");
    assert.equal(result.content[0].text, "é—読🎉");
  });

  await t.step("makes noise between answers", async () => {
    const before = client.inbox.lines.length;
    await client.callTool("noise");
    assert.ok(client.inbox.lines.length - before > 10);
  });

  await t.step("exits as it is told", async () => {
    await client.send({
      jsonrpc: "2.0",
      id: "d",
      method: "tools/call",
      params: { name: "die", arguments: { code: 7, stderr: "boom" } },
    });
    assert.equal((await client.exit(5_000)).code, 7);
    assert.match(client.stderrText, /boom/);
  });
});

Deno.test("fake upstream --fail prints its text and exits 1", async () => {
  await using run = new FakeRun(["--fail", "boom at start"]);
  assert.equal((await run.client.exit(5_000)).code, 1);
  assert.match(run.client.stderrText, /boom at start/);
});

Deno.test("fake upstream exits at the end of stdin and says so in its journal", async () => {
  await using run = await FakeRun.initialized();
  await run.client.closeStdin();
  assert.equal((await run.client.exit(5_000)).code, 0);
  assert.deepEqual(run.log.entries().slice(-2).map((entry) => entry.kind), ["eof", "exit"]);
});
