/** Cases http-2 (b) and (c): what upstream says finds its stream; and streams survive their connections. */
import assert from "node:assert/strict";
import { EventReader } from "../harness/event_reader.ts";
import type { HttpClient, Message } from "../harness/http_client.ts";
import { HttpRun } from "../harness/http_run.ts";
import { until } from "../harness/until.ts";

const ROOTS = { roots: [{ uri: "file:///r", name: "r", "x-root-ext": 1 }] };

/** Bound of case http-2. */
const ANSWERED_WITHIN_MS = 2_000;

function toolCall(id: number | string, name: string, args: unknown, meta?: unknown): Message {
  return {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
  };
}

async function stream(client: HttpClient, message: Message): Promise<EventReader> {
  return new EventReader(await client.post(message));
}

async function nextMessage(reader: EventReader): Promise<Message> {
  const event = await reader.next();
  return event === undefined ? undefined : JSON.parse(event.data);
}

Deno.test("http-2b without a GET stream a request of upstream rides on the call's stream", async () => {
  await using run = await HttpRun.start();
  const client = await run.open();
  const from = performance.now();
  const reader = await stream(client, toolCall("asks", "roots", {}));
  const asked = await nextMessage(reader);
  assert.equal(asked.method, "roots/list");
  await client.tell({ id: asked.id, result: ROOTS });
  const answer = await nextMessage(reader);
  assert.ok(performance.now() - from < ANSWERED_WITHIN_MS);
  assert.equal(answer.id, "asks");
  assert.deepEqual(answer.result.structuredContent.answer.result, ROOTS);
  assert.equal(await reader.next(), undefined, "the stream ends with the answer");
});

Deno.test("http-2c with a GET stream a request of upstream takes it", async () => {
  await using run = await HttpRun.start();
  const client = await run.open();
  const listener = await client.listen();
  const call = client.callTool("roots");
  const asked = await nextMessage(listener);
  assert.equal(asked.method, "roots/list");
  await client.tell({ id: asked.id, result: ROOTS });
  assert.deepEqual((await call).result.structuredContent.answer.result, ROOTS);
  await listener.cancel();
});

Deno.test("the form of an answer is decided late", async (t) => {
  await using run = await HttpRun.start();
  const client = await run.open();
  await t.step("JSON when the answer comes first and soon", async () => {
    const { response, streamed, answer } = await client.exchange("ping");
    assert.deepEqual([streamed, response.status, answer.result], [false, 200, {}]);
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.match(response.headers.get("cache-control") ?? "", /no-store/);
    assert.equal(response.headers.get("mcp-session-id"), client.sessionId);
  });
  await t.step("a stream when a notification comes first", async () => {
    const params = { name: "progress", arguments: { n: 2 }, _meta: { progressToken: "t" } };
    const { streamed, messages } = await client.exchange("tools/call", params);
    assert.equal(streamed, true);
    assert.deepEqual(messages.map((message) => message.method ?? "answer"), [
      "notifications/progress",
      "notifications/progress",
      "answer",
    ]);
  });
  await t.step("a stream after a fraction of a second, with an id to come back to", async () => {
    const from = performance.now();
    const response = await client.post(toolCall("slow", "slow", { ms: 700 }));
    assert.ok(performance.now() - from < 400, "headers come before the answer");
    const reader = new EventReader(response);
    const first = await reader.nextOfAny();
    assert.deepEqual([first?.data, typeof first?.retry, typeof first?.id], ["", "number", "string"]);
    const [answer, ...rest] = await reader.rest();
    assert.deepEqual([JSON.parse(answer?.data ?? "").id, rest], ["slow", []]);
  });
  await t.step("a notification or an answer is only taken note of", async () => {
    for (const message of [{ method: "notifications/x" }, { id: 4711, result: {} }]) {
      const response = await client.post({ jsonrpc: "2.0", ...message });
      assert.deepEqual([response.status, await response.text()], [202, ""]);
    }
  });
});

Deno.test("a client that drops in the middle of a call comes back for the answer", async (t) => {
  await using run = await HttpRun.start();
  const client = await run.open();
  await t.step("before anything was said", async () => {
    const reader = await stream(client, toolCall("dropped", "slow", { ms: 1_500 }));
    const first = await reader.nextOfAny();
    await reader.cancel();
    const resumed = await client.listen(first?.id);
    const answer = await nextMessage(resumed);
    assert.deepEqual([answer.id, answer.result.content[0].text], ["dropped", "slept 1500 ms"]);
    assert.equal(await resumed.next(), undefined, "the stream ends with the answer");
  });
  await t.step("after the answer has come in its absence", async () => {
    const reader = await stream(client, toolCall("late", "slow", { ms: 400 }));
    const first = await reader.nextOfAny();
    await reader.cancel();
    await client.callTool("slow", { ms: 600 });
    const resumed = await client.listen(first?.id);
    assert.deepEqual((await resumed.rest()).map((event) => JSON.parse(event.data).id), ["late"]);
  });
  await t.step("in the middle of its progress, and hears nothing twice", async () => {
    const reader = await stream(
      client,
      toolCall("steps", "progress", { n: 5, restMs: 800 }, { progressToken: "p" }),
    );
    for (const step of [1, 2]) assert.equal((await nextMessage(reader)).params.progress, step);
    const { lastEventId } = reader;
    await reader.cancel();
    const resumed = await client.listen(lastEventId);
    const rest = (await resumed.rest()).map((event) => JSON.parse(event.data));
    assert.deepEqual(rest.map((message) => message.params?.progress ?? message.id), [3, 4, 5, "steps"]);
  });
  await t.step("a lost connection cancels nothing", () => assert.deepEqual(run.log.entries("cancelled"), []));
  await t.step("an event that was never sent", async () => {
    for (const id of ["p9999-1", "nonsense", "", "g"]) {
      const response = await client.fetch("GET", { headers: { "Last-Event-ID": id } });
      await response.body?.cancel();
      assert.equal(response.status, 400, `"${id}"`);
    }
  });
  await t.step("another session's event is none of ours", async () => {
    const reader = await stream(client, toolCall("mine", "slow", { ms: 400 }));
    const first = await reader.nextOfAny();
    await reader.rest();
    const other = await run.open();
    const response = await other.fetch("GET", { headers: { "Last-Event-ID": first?.id ?? "" } });
    await response.body?.cancel();
    assert.equal(response.status, 400);
  });
});

Deno.test("a session has one GET stream at a time, and it resumes", async (t) => {
  await using run = await HttpRun.start();
  const client = await run.open();
  const emit = (n: number): Promise<Message> =>
    client.callTool("emit", { method: "notifications/message", params: { level: "info", data: n } });
  let listener = await client.listen();
  await t.step("a second one is a conflict", async () => {
    const response = await client.fetch("GET");
    assert.deepEqual([response.status, (await response.json()).error.code], [409, -32000]);
  });
  await t.step("the first one is still served", async () => {
    await emit(1);
    assert.equal((await nextMessage(listener)).params.data, 1);
  });
  await t.step("resumed with the last event it hears what followed", async () => {
    const { lastEventId } = listener;
    await emit(2);
    // Not read: as if the connection had broken before.
    await listener.cancel();
    listener = await client.listen(lastEventId);
    assert.equal((await nextMessage(listener)).params.data, 2);
    await emit(3);
    assert.equal((await nextMessage(listener)).params.data, 3);
  });
  await t.step("after it was closed another one may be opened", async () => {
    await listener.cancel();
    const response = await until("a GET that is let in", async () => {
      const response = await client.fetch("GET");
      if (response.status === 200) return response;
      await response.body?.cancel();
      return undefined;
    }, 5_000);
    await response.body?.cancel();
  });
});

Deno.test("what one session says no other hears", async () => {
  await using run = await HttpRun.start();
  const [one, two] = [await run.open(), await run.open()];
  const listeners = [await one.listen(), await two.listen()] as const;
  await one.callTool("emit", { method: "notifications/message", params: { level: "info", data: "of one" } });
  await two.callTool("emit", { method: "notifications/message", params: { level: "info", data: "of two" } });
  assert.equal((await nextMessage(listeners[0])).params.data, "of one");
  assert.equal((await nextMessage(listeners[1])).params.data, "of two");
  assert.notEqual(await run.childOf(one), await run.childOf(two));
  for (const listener of listeners) await listener.cancel();
});

Deno.test("a request id that is in use is refused, in its own session only", async () => {
  await using run = await HttpRun.start();
  const [one, two] = [await run.open(), await run.open()];
  const reader = await stream(one, toolCall("same", "slow", { ms: 800 }));
  const again = await one.post(toolCall("same", "browser_snapshot", {}));
  assert.equal(again.status, 400);
  assert.match((await again.json()).error.message, /in use/);
  assert.ok((await two.callTool("browser_snapshot", {}, { id: "same" })).result);
  assert.deepEqual((await reader.rest()).map((event) => JSON.parse(event.data).id), ["same"]);
  assert.ok((await one.callTool("browser_snapshot", {}, { id: "same" })).result);
});
