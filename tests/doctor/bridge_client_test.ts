import assert from "node:assert/strict";
import { BridgeClient } from "../../src/doctor/bridge_client.ts";

const never = new AbortController().signal;

function connected(
  answer: (message: { id?: number; method?: string }) => unknown,
): { client: BridgeClient; sent: unknown[] } {
  const client = new BridgeClient();
  const sent: unknown[] = [];
  const encoder = new TextEncoder();
  client.connect(async (bytes) => {
    const message = JSON.parse(new TextDecoder().decode(bytes));
    sent.push(message);
    const reply = answer(message);
    if (reply !== undefined) await client.send(encoder.encode(JSON.stringify(reply)));
  });
  return { client, sent };
}

Deno.test("BridgeClient resolves requests by their id, and rejects with the text of an error", async () => {
  const { client } = connected(({ id, method }) =>
    method === "good"
      ? { jsonrpc: "2.0", id, result: { id } }
      : { jsonrpc: "2.0", id, error: { code: -1, message: "no" } }
  );
  assert.deepEqual(
    await Promise.all([client.request("good", {}, never), client.request("good", {}, never)]),
    [
      { id: 1 },
      { id: 2 },
    ],
  );
  await assert.rejects(client.request("bad", {}, never), /^Error: no$/);
});

Deno.test("BridgeClient refuses requests of the server and passes notifications by", async () => {
  const { client, sent } = connected(() => undefined);
  const encoder = new TextEncoder();
  await client.send(encoder.encode('{"jsonrpc":"2.0","id":"r1","method":"roots/list"}'));
  await client.send(encoder.encode('{"jsonrpc":"2.0","method":"notifications/message"}'));
  assert.deepEqual(sent, [
    { jsonrpc: "2.0", id: "r1", error: { code: -32601, message: "Method not found: roots/list" } },
  ]);
});

Deno.test("BridgeClient does not wait for an answer that nobody wants any more", async () => {
  const { client } = connected(() => undefined);
  const stop = new AbortController();
  const waiting = client.request("slow", {}, stop.signal);
  stop.abort();
  await assert.rejects(waiting, /was given up/);
  await assert.rejects(client.request("late", {}, stop.signal), /was given up/);
});
