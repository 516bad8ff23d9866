/** Case stdio-7: characters that arrive in pieces. */
import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";

const TEXT = "é—読🎉";

Deno.test("stdio-7 a result written byte by byte keeps its characters", async () => {
  await using run = await BridgeRun.initialized();
  const { result } = await run.client.callTool("utf8");
  assert.deepEqual(Array.from(result.content[0].text), Array.from(TEXT));
});

Deno.test("stdio-7 arguments written byte by byte keep their characters", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  const message = {
    jsonrpc: "2.0",
    id: TEXT,
    method: "tools/call",
    params: { name: "browser_navigate", arguments: { text: TEXT, [TEXT]: "\u2028\u0000\ud83c" } },
  };
  await client.writeByteWise(JSON.stringify(message) + "\n");
  const answer = await client.answerTo(TEXT);
  assert.deepEqual(answer.result.structuredContent.arguments, message.params.arguments);
  const [frame] = log.calls("browser_navigate");
  assert.deepEqual(frame?.message, message);
  assert.ok(
    !frame?.raw?.includes("\ufffd") && !client.inbox.lines.some((line) => line.raw.includes("\ufffd")),
  );
});
