/** Cases forwarding-1, -2 and -4 over HTTP: what upstream says directly is what it says through the server. */
import assert from "node:assert/strict";
import { FakeRun } from "../harness/fake_run.ts";
import type { HttpClient, Message } from "../harness/http_client.ts";
import { HttpRun } from "../harness/http_run.ts";
import { FORWARDED_REQUESTS } from "./forwarded_requests.ts";

Deno.test("forwarding-1 over HTTP every answer is the same as without the server", async (t) => {
  await using direct = await FakeRun.initialized();
  await using run = await HttpRun.start();
  const client = await run.open();
  for (const [index, [method, params]] of FORWARDED_REQUESTS.entries()) {
    const id = index % 2 === 0 ? 1000 + index : `request "${index}" é—読🎉`;
    await t.step(`${method} ${(JSON.stringify(params) ?? "").slice(0, 60)}`, async () => {
      const expected = await direct.client.request(method, params, { id });
      const { response, answer } = await client.exchange(method, params, { id });
      assert.equal(response.status, 200);
      assert.deepEqual(withoutPid(answer), withoutPid(expected));
    });
  }
  await t.step("initialize, but for what the server says of itself", async () => {
    await using fresh = new FakeRun();
    const { serverInfo: _s, instructions: _i, capabilities, ...theirs } =
      (await fresh.client.initialize()).result;
    const { serverInfo, instructions, capabilities: ours, ...rest } =
      (await run.client().initialize()).result;
    assert.deepEqual(rest, theirs);
    assert.deepEqual(ours, capabilities);
    assert.equal(serverInfo.name, "cloakbrowser-mcp");
    assert.ok(instructions);
  });
});

Deno.test("forwarding-2 over HTTP pages of tools/list are upstream's", async () => {
  await using direct = await FakeRun.initialized();
  await using run = await HttpRun.start();
  const { tools: theirs, ...theirRest } = (await direct.client.request("tools/list")).result;
  const [first, second] = [await run.open(), await run.open()];
  const { tools, ...rest } = (await first.request("tools/list")).result;
  assert.deepEqual(rest, theirRest);
  assert.deepEqual(tools.slice(0, theirs.length), theirs);
  const names = (page: Message): string[] => page.result.tools.map((tool: Message) => tool.name);
  assert.deepEqual(names(await first.request("tools/list", { cursor: rest.nextCursor })), ["t2"]);
  assert.deepEqual(names(await second.request("tools/list", { cursor: "p2" })), ["t2"]);
  assert.equal(names(await second.request("tools/list", {})).length, theirs.length + 2);
});

Deno.test("forwarding-4 over HTTP progress comes on its own call's stream, before the result", async (t) => {
  await using run = await HttpRun.start();
  const [one, two] = [await run.open(), await run.open()];
  for (const token of [0, "0", "tok", undefined]) {
    await t.step(`progressToken ${JSON.stringify(token)}`, async () => {
      const meta = {
        ...(token === undefined ? {} : { progressToken: token }),
        "example.org/trace": { id: [1, null] },
      };
      const params = { name: "meta", arguments: { a: 1 }, "x-param": { kept: true }, _meta: meta };
      assert.deepEqual((await one.request("tools/call", params)).result.structuredContent, {
        params,
        _meta: meta,
      });
      const progress = (client: HttpClient, n: number): Promise<Message[]> =>
        client.exchange("tools/call", { name: "progress", arguments: { n }, _meta: meta }, { id: "same" })
          .then(({ messages }) => [...messages]);
      const exchanges = await Promise.all([progress(one, 5), progress(two, 3)]);
      for (const [index, messages] of exchanges.entries()) {
        const total = index === 0 ? 5 : 3;
        assert.equal(messages.pop().result.content[0].text, "done");
        const expected = token === undefined ? [] : Array.from({ length: total }, (_, step) => ({
          progressToken: token,
          progress: step + 1,
          total,
          message: `step ${step + 1}`,
          "x-progress-ext": true,
        }));
        assert.deepEqual(messages.map((message) => message.params), expected);
      }
    });
  }
  await t.step("also when two calls of one session run at once, with a GET stream open", async () => {
    const listener = await one.listen();
    const progress = (token: string | number, n: number): Promise<number[]> =>
      one.exchange("tools/call", {
        name: "progress",
        arguments: { n, restMs: 200 },
        _meta: { progressToken: token },
      })
        .then(({ messages }) => messages.slice(0, -1).map((message) => message.params.progressToken));
    const [number, text] = await Promise.all([progress(7, 3), progress("7", 2)]);
    assert.deepEqual(number, [7, 7, 7]);
    assert.deepEqual(text, ["7", "7"]);
    await listener.cancel();
  });
});

Deno.test("forwarding-4 over HTTP a cancelled call is cancelled upstream at once and never answered", async (t) => {
  await using run = await HttpRun.start();
  const client = await run.open();
  const { log } = run;
  await t.step("its stream ends without an answer", async () => {
    const call = client.exchange("tools/call", { name: "slow", arguments: { ms: 10_000 } }, { id: "7" });
    const other = client.callTool("slow", { ms: 900 }, { id: 7 });
    await log.called("slow", 2);
    const sentAt = performance.timeOrigin + performance.now();
    await client.tell({
      method: "notifications/cancelled",
      params: { requestId: "7", reason: "no", "x-ext": 1 },
    });
    const cancelled = await log.next("cancellation", (entry) => entry.kind === "cancelled");
    assert.ok(cancelled.at - sentAt <= 200, `took ${cancelled.at - sentAt} ms`);
    assert.deepEqual([cancelled.requestId, cancelled.known], ["7", true]);
    assert.deepEqual((await call).messages, []);
    assert.equal(
      (await other).result.content[0].text,
      "slept 900 ms",
      "7 is another request than the text 7",
    );
  });
  await t.step("cancelled before its form was decided", async () => {
    const call = client.exchange("tools/call", { name: "slow", arguments: { ms: 10_000 } }, { id: "soon" });
    await log.called("slow", 3);
    await client.tell({ method: "notifications/cancelled", params: { requestId: "soon" } });
    assert.deepEqual((await call).messages, []);
    assert.ok(
      (await client.callTool("browser_snapshot", {}, { id: "soon" })).result,
      "the id can be used again",
    );
  });
  await t.step("unknown and finished requests", async () => {
    for (const requestId of ["unknown", 4711, "7", null, { odd: true }]) {
      await client.tell({ method: "notifications/cancelled", params: { requestId } });
    }
    assert.ok((await client.request("ping")).result);
  });
  await t.step("another session's request of the same id goes on", async () => {
    const neighbour = await run.open();
    const call = neighbour.callTool("slow", { ms: 600 }, { id: "shared" });
    await log.called("slow", 4);
    await client.tell({ method: "notifications/cancelled", params: { requestId: "shared" } });
    assert.equal((await call).result.content[0].text, "slept 600 ms");
  });
});

/** The echo tools tell the pid of their process, which is another one each time. */
function withoutPid(answer: Message): Message {
  return JSON.parse(JSON.stringify(answer).replaceAll(/("pid\\*":)\d+/g, "$10"));
}
