import assert from "node:assert/strict";
import { EventBudget } from "../../src/http/event_budget.ts";
import { EventStream, parseEventId } from "../../src/http/event_stream.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function newStream(keepaliveMs = 0): EventStream {
  return new EventStream({ name: "p1", budget: new EventBudget(), keepaliveMs });
}

Deno.test("EventStream tells an id before the first message, then each message with its own", async () => {
  const stream = newStream();
  const response = stream.connect({ "Mcp-Session-Id": "s" });
  await stream.send(encode('{"a":1}'));
  stream.finish();
  assert.equal(await response.text(), 'id: p1-0\nretry: 1000\ndata: \n\nid: p1-1\ndata: {"a":1}\n\n');
  assert.equal(response.headers.get("x-accel-buffering"), "no");
  assert.equal(response.headers.get("mcp-session-id"), "s");
});

Deno.test("EventStream delivers what was missed to a client that comes back, and nothing twice", async () => {
  const stream = newStream();
  const first = stream.connect({});
  await stream.send(encode("1"));
  await first.body?.cancel();
  await stream.send(encode("2"));
  await stream.send(encode("3"));
  const second = stream.connect({}, 1);
  stream.finish();
  assert.equal(await second.text(), "id: p1-2\ndata: 2\n\nid: p1-3\ndata: 3\n\n");
});

Deno.test("EventStream keeps a finished answer for whoever comes back", async () => {
  const stream = newStream();
  await stream.send(encode("answer"));
  stream.finish();
  assert.match(await stream.connect({}, 0).text(), /data: answer/);
});

Deno.test("EventStream makes its sender wait for a listener that does not read", async () => {
  const stream = newStream();
  const response = stream.connect({});
  let sent = false;
  const sending = stream.send(new Uint8Array(2 * 1024 * 1024).fill(0x61)).then(() => sent = true);
  await Promise.resolve();
  assert.equal(sent, false);
  const reading = response.arrayBuffer();
  await sending;
  stream.finish();
  assert.ok((await reading).byteLength > 2 * 1024 * 1024);
});

Deno.test("EventBudget drops the oldest events of a session beyond its bounds", () => {
  const budget = new EventBudget();
  const events = new Map();
  const keep = (sequence: number, bytes: Uint8Array, heard = false): void =>
    budget.keep(events, { sequence, bytes }, heard);
  for (let sequence = 1; sequence <= 1001; sequence++) keep(sequence, encode("x"));
  assert.equal(events.size, 1000);
  assert.equal(events.has(1), false);
  keep(2000, new Uint8Array(8 * 1024 * 1024));
  assert.deepEqual([...events.keys()], [2000]);
  keep(2001, new Uint8Array(9 * 1024 * 1024), true);
  assert.deepEqual([...events.keys()], [2000], "heard, and too large to be kept");
  keep(2002, new Uint8Array(9 * 1024 * 1024));
  assert.deepEqual([...events.keys()], [2002], "nobody has heard it");
  keep(2003, encode("x"));
  assert.deepEqual([...events.keys()], [2003]);
});

Deno.test("EventStream knows what a client that comes back would miss", async () => {
  const stream = newStream();
  assert.equal(stream.keepsAllAfter(0), true);
  await stream.send(new Uint8Array(9 * 1024 * 1024));
  assert.equal(stream.keepsAllAfter(0), true);
  await stream.send(encode("x"));
  assert.deepEqual([0, 1, 2, 3].map((after) => stream.keepsAllAfter(after)), [false, true, true, false]);
});

Deno.test("parseEventId() knows ids of ours only", () => {
  assert.deepEqual(parseEventId("p12-34"), { name: "p12", sequence: 34 });
  assert.deepEqual(parseEventId("g-0"), { name: "g", sequence: 0 });
  for (const id of ["", "p1", "p1-", "-1", "p1-x", "p1-1-1", "P1-1"]) {
    assert.equal(parseEventId(id), undefined, id);
  }
});
