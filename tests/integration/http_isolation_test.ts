/** Messages that belong to one HTTP session reach no other, with and without a GET stream. */
import assert from "node:assert/strict";
import type { HttpClient, Message } from "../harness/http_client.ts";
import { HttpRun } from "../harness/http_run.ts";

const STEPS = 20;

/** Messages that came on the streams of a call. */
async function messagesOf(
  client: HttpClient,
  name: string,
  args: unknown,
  token: string,
): Promise<Message[]> {
  const params = { name, arguments: args, _meta: { progressToken: token } };
  return [...(await client.exchange("tools/call", params)).messages];
}

Deno.test("progress of one session's call is heard on that call's stream alone", async () => {
  await using run = await HttpRun.start();
  const clients = [await run.open(), await run.open(), await run.open()];
  const listeners = await Promise.all(clients.map((client) => client.listen()));
  // The same request id and progress token in every session: ids are each session's own.
  const heard = await Promise.all(
    clients.map((client, n) => messagesOf(client, "progress", { n: STEPS + n, restMs: 200 }, "token")),
  );
  for (const [n, messages] of heard.entries()) {
    const totals = messages.filter(({ method }) => method === "notifications/progress").map(({ params }) =>
      params.total
    );
    assert.deepEqual(totals, Array.from({ length: STEPS + n }, () => STEPS + n), `session ${n}`);
    assert.ok(messages.at(-1).result);
  }
  for (const client of clients) await client.end();
  for (const listener of listeners) assert.deepEqual(await listener.rest(), []);
});

Deno.test("a change of one session's tools is announced to that session alone", async () => {
  await using run = await HttpRun.start();
  const [changed, other] = [await run.open(), await run.open()];
  const listeners = [await changed.listen(), await other.listen()] as const;
  await Promise.all([changed.callTool("listchanged"), other.callTool("browser_snapshot")]);
  for (const client of [changed, other]) await client.end();
  const methods = await Promise.all(
    listeners.map(async (listener) => (await listener.rest()).map(({ data }) => JSON.parse(data).method)),
  );
  assert.deepEqual(methods, [["notifications/tools/list_changed"], []]);
});

Deno.test("a cancellation reaches the call of its own session alone, also with the same id", async () => {
  await using run = await HttpRun.start();
  const [one, two] = [await run.open(), await run.open()];
  const cut = one.post({
    jsonrpc: "2.0",
    id: "same",
    method: "tools/call",
    params: { name: "slow", arguments: { ms: 60_000 } },
  });
  const kept = two.callTool("slow", { ms: 1_000 }, { id: "same" });
  await run.log.called("slow", 2);
  await one.tell({ method: "notifications/cancelled", params: { requestId: "same" } });
  await run.log.next("the cancellation", (entry) => entry.kind === "cancelled");
  assert.equal((await kept).result.content[0].text, "slept 1000 ms");
  assert.equal(run.log.entries("cancelled").length, 1);
  await one.end();
  await (await cut).text();
});
