/** Cases forwarding-1 and forwarding-2: what upstream says directly is what it says through the bridge. */
import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";
import { FakeRun } from "../harness/fake_run.ts";
import type { Message } from "../harness/stdio_client.ts";
import { call, FORWARDED_REQUESTS, type ForwardedRequest } from "./forwarded_requests.ts";

/** Requests whose answers must be equal to the last member. */
const REQUESTS: readonly ForwardedRequest[] = [
  ...FORWARDED_REQUESTS,
  call("big", { bytes: 8 * 1024 * 1024 }),
  ["tools/call", { name: "meta" }],
  ["resources/list"],
  ["resources/templates/list"],
  ["resources/read", { uri: "fake://blob" }],
  ["resources/subscribe", { uri: "fake://text" }],
  ["resources/unsubscribe", { uri: "fake://text" }],
  ["prompts/list"],
  ["logging/setLevel", { level: "debug" }],
  ["example.org/unknown", { deep: { list: [1, "2", null] } }],
  ["example.org/bare"],
];

Deno.test("forwarding-1 every answer is the same as without the bridge", async (t) => {
  await using direct = await FakeRun.initialized();
  await using run = await BridgeRun.initialized();
  for (const [index, [method, params]] of REQUESTS.entries()) {
    const id = index % 2 === 0 ? 1000 + index : `request "${index}" é—読🎉`;
    const title = `${method} ${(JSON.stringify(params) ?? "").slice(0, 60)}`;
    await t.step(title, async () => {
      const expected = await direct.client.request(method, params, { id });
      const actual = await run.client.request(method, params, { id });
      assert.deepEqual(withoutPid(actual), withoutPid(expected));
    });
  }

  await t.step("an error keeps its message without a prefix", async () => {
    const { error } = await run.client.callTool("err");
    assert.deepEqual([error.code, error.message, error["x-error-ext"]], [-32099, "Fake failure", ["kept"]]);
  });

  await t.step("what reached upstream is the same", () => {
    const seen = (frames: ReturnType<FakeRun["log"]["frames"]>): Message[] =>
      frames.map((entry) => entry.message)
        .filter((message) => message !== undefined && typeof message.id !== "undefined")
        .filter((message) =>
          typeof message.id === "number" ? message.id >= 1000 : message.id.startsWith("request")
        );
    assert.deepEqual(seen(run.log.frames()), seen(direct.log.frames()));
  });
});

Deno.test("forwarding-1 notifications cross unchanged in both directions", async (t) => {
  await using direct = await FakeRun.initialized();
  await using run = await BridgeRun.initialized();
  const notifications: ReadonlyArray<readonly [method: string, params: unknown]> = [
    ["notifications/message", { level: "warning", data: { deep: [null] }, "x-ext": 1 }],
    ["notifications/resources/list_changed", { _meta: { a: 1 } }],
    ["notifications/tools/list_changed", { "x-ext": { kept: true } }],
    ["notifications/progress", { progressToken: "nobody's", progress: 0.5 }],
    ["notifications/example.org/unknown", { list: [1, "two"] }],
    ["example.org/no_prefix", { a: "é—読🎉" }],
  ];
  for (const [method, params] of notifications) {
    await t.step(`upstream → client ${method}`, async () => {
      const received: Message[] = [];
      for (const { client } of [direct, run]) {
        const from = client.inbox.lines.length;
        await client.callTool("emit", { method, params });
        received.push(await client.incoming(method, { from }));
      }
      assert.deepEqual(received[1], received[0]);
      assert.deepEqual(received[1], { jsonrpc: "2.0", method, params });
    });
  }
  for (
    const [method, params] of [...notifications, ["notifications/roots/list_changed", undefined] as const]
  ) {
    await t.step(`client → upstream ${method}`, async () => {
      await run.client.notify(method, params);
      await run.client.request("ping");
      const sent = params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
      assert.deepEqual(run.log.frames(method).map((entry) => entry.message), [sent]);
    });
  }
});

Deno.test("forwarding-2 pages of tools/list are upstream's, local tools on the first one", async (t) => {
  await using direct = await FakeRun.initialized();
  const expected = (await direct.client.request("tools/list")).result;

  await t.step("first page, then the cursor it names", async () => {
    await using run = await BridgeRun.initialized();
    const { tools, ...rest } = (await run.client.request("tools/list")).result;
    const { tools: theirs, ...theirRest } = expected;
    assert.deepEqual(rest, theirRest);
    assert.deepEqual(tools.slice(0, theirs.length), theirs);
    assert.deepEqual(tools.slice(theirs.length).map((tool: Message) => tool.name), [
      "cloakbrowser_binary_info",
      "cloakbrowser_bridge_info",
    ]);
    const second = (await run.client.request("tools/list", { cursor: rest.nextCursor })).result;
    assert.deepEqual(second.tools.map((tool: Message) => tool.name), ["t2"]);
    const cursors = run.log.frames("tools/list").map((entry) => entry.message.params?.cursor);
    assert.deepEqual(cursors, [undefined, "p2"], "each page was asked for once");
  });

  await t.step("second page first", async () => {
    await using run = await BridgeRun.initialized();
    const second = (await run.client.request("tools/list", { cursor: "p2" })).result;
    assert.deepEqual(second.tools.map((tool: Message) => tool.name), ["t2"]);
    const first = (await run.client.request("tools/list", {})).result;
    assert.equal(first.tools.length, expected.tools.length + 2);
  });
});

/** The echo tools tell the pid of their process, which is another one each time. */
function withoutPid(answer: Message): Message {
  return JSON.parse(JSON.stringify(answer).replaceAll(/("pid\\*":)\d+/g, "$10"));
}
