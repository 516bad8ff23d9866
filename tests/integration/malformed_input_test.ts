/** Case stdio-6: strange lines from both sides, and a full stderr pipe. */
import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";
import type { StdioClient } from "../harness/stdio_client.ts";

Deno.test("stdio-6 noise on upstream's stdout does not reach the client", async () => {
  await using run = await BridgeRun.initialized();
  assert.equal((await run.client.callTool("noise")).result.content[0].text, "noise made");
  assert.ok((await run.client.callTool("browser_snapshot")).result);
  assertCleanStdout(run.client);
});

Deno.test("stdio-6 a mebibyte on upstream's stderr does not block it", async () => {
  await using run = await BridgeRun.initialized();
  const { result } = await run.client.callTool("stderr", { bytes: 1024 * 1024 });
  assert.equal(result.content[0].text, "written");
  assertCleanStdout(run.client);
});

const BAD_LINES: ReadonlyArray<
  readonly [title: string, line: string | Uint8Array, code: number | undefined]
> = [
  ["an empty line", "", undefined],
  ["blanks", "  \t ", undefined],
  ["no JSON", "garbage", -32700],
  ["broken JSON", '{"jsonrpc":"2.0","id":1,"method":', -32700],
  ["no UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), -32700],
  ["an empty array", "[]", -32600],
  [
    "a batch",
    '[{"jsonrpc":"2.0","id":900,"method":"ping"},{"jsonrpc":"2.0","id":901,"method":"ping"}]',
    -32600,
  ],
  ["an object without jsonrpc", '{"id":902,"method":"ping"}', -32600],
  ["jsonrpc of another version", '{"jsonrpc":"1.0","id":903,"method":"ping"}', -32600],
  ["a number", "42", -32600],
  ["null", "null", -32600],
  ["a method that is no string", '{"jsonrpc":"2.0","id":904,"method":7}', -32600],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
  ["neither request nor response", '{"jsonrpc":"2.0"}', -32600],
];

Deno.test("stdio-6 a bad line from the client is answered or ignored, and the connection goes on", async (t) => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  const framesBefore = log.frames().length;
  for (const [title, line, code] of BAD_LINES) {
    await t.step(title, async () => {
      const from = client.inbox.lines.length;
      await client.writeRaw(line);
      await client.writeRaw("\n");
      await client.request("ping");
      const answers = client.inbox.lines.slice(from, -1).map((each) => each.message);
      assert.deepEqual(answers.map((answer) => answer.error?.code), code === undefined ? [] : [code]);
      const known = /"id":(90\d),"method":(?:"ping"}$|7)/.exec(String(line))?.[1];
      const expectedId = known === undefined || title === "a batch" ? null : Number(known);
      if (code !== undefined) assert.equal(answers[0].id, expectedId);
    });
  }
  const forwarded = log.frames().slice(framesBefore).map((entry) => entry.message.method);
  assert.deepEqual(forwarded, BAD_LINES.map(() => "ping"), "nothing bad reached upstream");
  assertCleanStdout(client);
});

Deno.test("stdio-6 bad lines before initialize do not end the session", async () => {
  await using run = new BridgeRun();
  await run.client.writeRaw("garbage\n\n[]\n42\n");
  assert.ok((await run.client.initialize()).result);
  assertCleanStdout(run.client);
});

Deno.test("a deeply nested argument does not end the session", async () => {
  await using run = await BridgeRun.initialized();
  const { client } = run;
  const depth = 200_000;
  const deep = "[".repeat(depth) + "]".repeat(depth);
  await client.writeRaw(
    `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"measure","arguments":{"text":"t","deep":${deep}}}}\n`,
  );
  const answer = await client.answerTo("deep");
  assert.ok(answer.error !== undefined || answer.result.structuredContent.bytes === 1);
  assert.ok((await client.request("ping")).result);
});

Deno.test("lines may end with carriage return and newline", async () => {
  await using run = await BridgeRun.initialized();
  await run.client.writeRaw('{"jsonrpc":"2.0","id":"crlf","method":"ping"}\r\n');
  assert.deepEqual((await run.client.answerTo("crlf")).result, {});
});

Deno.test("a request whose id is in use is refused", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  const first = client.callTool("slow", { ms: 300 }, { id: "twice" });
  await log.called("slow");
  const from = client.inbox.lines.length;
  await client.send({ jsonrpc: "2.0", id: "twice", method: "ping" });
  const refusal = await client.next((message) => message.id === "twice" && message.error !== undefined, {
    from,
  });
  assert.equal(refusal.message.error.code, -32600);
  await client.answerTo("twice", { from: from + 1 });
  await first;
  assert.deepEqual(client.inbox.all((message) => message.id === "twice").length, 2);
});

/** Every line of stdout is a JSON-RPC message. */
function assertCleanStdout(client: StdioClient): void {
  for (const { raw, message } of client.inbox.lines) {
    assert.ok(
      typeof message === "object" && message !== null && message.jsonrpc === "2.0",
      `no JSON-RPC: ${raw}`,
    );
    assert.ok(typeof message.method === "string" || "result" in message || "error" in message, raw);
  }
}
