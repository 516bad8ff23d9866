import assert from "node:assert/strict";
import { SessionPort } from "../../src/http/session_port.ts";

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const answer = (id: number | string, result: unknown = {}): Uint8Array =>
  encode({ jsonrpc: "2.0", id, result });
const notice = (method: string, params: unknown = {}): Uint8Array =>
  encode({ jsonrpc: "2.0", method, params });

function newPort(): SessionPort {
  return new SessionPort({ keepaliveMs: 0, headers: () => ({ "Mcp-Session-Id": "s" }) });
}

/** Messages of an event stream, in order. */
async function messages(response: Response): Promise<unknown[]> {
  return [...(await response.text()).matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

Deno.test("SessionPort answers a request alone and soon as JSON", async () => {
  const port = newPort();
  const exchange = port.exchange([{ id: 1, progressToken: undefined }]);
  await port.send(answer(1, { ok: true }));
  const response = await exchange.response;
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.deepEqual(await response.json(), { jsonrpc: "2.0", id: 1, result: { ok: true } });
  assert.equal(port.busy(0), false);
});

Deno.test("SessionPort answers as an event stream when a notification comes first", async () => {
  const port = newPort();
  const exchange = port.exchange([{ id: 1, progressToken: "t" }]);
  await port.send(notice("notifications/progress", { progressToken: "t", progress: 1 }));
  await port.send(answer(1));
  assert.deepEqual((await messages(await exchange.response)).length, 2);
});

Deno.test("SessionPort answers as an event stream when the answer takes its time", async () => {
  const port = newPort();
  const response = await port.exchange([{ id: 1, progressToken: undefined }]).response;
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  await port.send(answer(1));
  assert.equal((await messages(response)).length, 1);
});

Deno.test("SessionPort sends progress to the owner of its token, whatever else is in flight", async () => {
  const port = newPort();
  const first = port.exchange([{ id: 1, progressToken: 0 }]);
  const second = port.exchange([{ id: "1", progressToken: "0" }]);
  await port.send(notice("notifications/progress", { progressToken: "0", progress: 1 }));
  await port.send(answer(1));
  await port.send(answer("1"));
  assert.equal((await first.response).headers.get("content-type"), "application/json");
  assert.equal((await messages(await second.response)).length, 2);
});

Deno.test("SessionPort sends other messages to the GET stream, else with a call in flight, else keeps them", async () => {
  const port = newPort();
  await port.send(notice("first"));
  const call = port.exchange([{ id: 1, progressToken: undefined }]);
  await port.send(notice("second"));
  const listener = port.listen();
  await port.send(notice("third"));
  await port.send(answer(1));
  port.close();
  const methods = (list: unknown[]): unknown[] => list.map((each) => (each as { method?: string }).method);
  assert.deepEqual(methods(await messages(await call.response)), ["first", "second", undefined]);
  assert.deepEqual(methods(await messages(listener)), ["third"]);
});

Deno.test("SessionPort ends the response of a cancelled request without an answer", async () => {
  const port = newPort();
  const exchange = port.exchange([{ id: 1, progressToken: undefined }]);
  port.cancel(1);
  await port.send(answer(1));
  assert.deepEqual(await messages(await exchange.response), []);
});

Deno.test("SessionPort resumes a stream behind the event that the client names", async () => {
  const port = newPort();
  const exchange = port.exchange([{ id: 1, progressToken: "t" }]);
  await port.send(notice("notifications/progress", { progressToken: "t", progress: 1 }));
  await (await exchange.response).body?.cancel();
  await port.send(answer(1));
  const resumed = port.resume("p1-1");
  assert.ok(resumed);
  assert.deepEqual(await messages(resumed), [{ jsonrpc: "2.0", id: 1, result: {} }]);
  assert.equal(port.resume("p9-1"), undefined);
  assert.equal(port.resume("nonsense"), undefined);
});

Deno.test("SessionPort gathers the answers of a batch into one array", async () => {
  const port = newPort();
  const exchange = port.exchange(
    [{ id: 1, progressToken: undefined }, { id: "2", progressToken: undefined }],
    {
      own: 1,
    },
  );
  await exchange.answer(answer("own"));
  await port.send(answer("2"));
  await port.send(answer(1));
  const response = await exchange.response;
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.deepEqual((await response.json()).map((each: { id: unknown }) => each.id), ["own", "2", 1]);
  assert.equal(port.busy(0), false);
});

Deno.test("SessionPort streams a batch whose answers take their time, and ends it with the last", async () => {
  const port = newPort();
  const requests = ["a", "b", "c"].map((id) => ({ id, progressToken: `of ${id}` }));
  const exchange = port.exchange(requests, { own: 0 });
  await port.send(answer("a"));
  await port.send(notice("notifications/progress", { progressToken: "of b", progress: 1 }));
  port.cancel("c");
  await port.send(answer("b"));
  const seen = await messages(await exchange.response);
  assert.deepEqual(seen.map((each) => (each as { id?: string }).id), ["a", undefined, "b"]);
});

Deno.test("SessionPort is busy with a call that nobody waits for, but not for ever", async () => {
  const port = newPort();
  const response = await port.exchange([{ id: 1, progressToken: undefined }]).response;
  const minute = 60_000;
  assert.equal(port.busy(0), true);
  assert.equal(port.busy(60 * minute), true, "while its client waits");
  await response.body?.cancel();
  assert.equal(port.busy(69 * minute), true);
  assert.equal(port.busy(70 * minute), false);
});
