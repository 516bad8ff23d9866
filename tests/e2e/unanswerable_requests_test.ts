/** Requests that the embedded upstream would drop without a word: each is answered, over both transports. */
import assert from "node:assert/strict";
import { within } from "../harness/until.ts";
import { BrowserRun } from "./browser_run.ts";
import { HttpBrowserRun } from "./http_browser_run.ts";

const ANSWERED_WITHIN_MS = 5_000;

/** Members of a request besides `jsonrpc`, and the id and code of its answer. */
const REQUESTS: readonly (readonly [members: string, id: number | null, code: number])[] = [
  ['"id":1.5,"method":"ping"', 1.5, -32600],
  ['"id":1.5,"method":"tools/list"', 1.5, -32600],
  ['"id":99999999999999999999,"method":"ping"', null, -32600],
  ['"id":17961031150240001,"method":"tools/call","params":{"name":"browser_snapshot"}', null, -32600],
  ['"id":901,"method":"ping","params":[]', 901, -32602],
  ['"id":902,"method":"ping","params":null', 902, -32602],
  ['"id":903,"method":"tools/call","params":{"name":"browser_snapshot","_meta":5}', 903, -32602],
  ['"id":904,"method":"ping","params":{"_meta":{"progressToken":{}}}', 904, -32602],
  ['"id":905,"method":"ping","result":{}', 905, -32600],
  ['"id":906,"method":"ping","extra":1', 906, -32600],
];

Deno.test("over stdio requests that upstream would drop are answered, and the next works", async (t) => {
  await using run = await BrowserRun.start({ browser: false });
  for (const [members, id, code] of REQUESTS) {
    await t.step(members, async () => {
      const from = run.client.inbox.lines.length;
      await run.client.writeRaw(`{"jsonrpc":"2.0",${members}}\n`);
      const answered = run.client.inbox.next((each) => each.error !== undefined, from);
      const { message } = await within("an answer", answered, ANSWERED_WITHIN_MS);
      assert.deepEqual([message.id, message.error.code], [id, code]);
    });
  }
  assert.deepEqual((await run.client.request("ping")).result, {});
});

Deno.test("over HTTP requests that upstream would drop are answered, and hold no session", async (t) => {
  await using run = await HttpBrowserRun.start();
  const { client } = await run.open();
  for (const [members, id, code] of REQUESTS) {
    await t.step(members, async () => {
      const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
      const response = await client.fetch("POST", { body: `{"jsonrpc":"2.0",${members}}`, signal });
      const answer = await response.json();
      assert.deepEqual([answer.id, answer.error.code], [id, code]);
    });
  }
  await t.step("initialize without what it needs opens none", async () => {
    for (
      const params of [
        "[]",
        "{}",
        '{"protocolVersion":5,"capabilities":{},"clientInfo":{"name":"a","version":"1"}}',
      ]
    ) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`;
      const response = await run.http.client().fetch("POST", { body });
      assert.equal(response.status, 400);
      assert.equal(response.headers.get("mcp-session-id"), null);
      assert.equal((await response.json()).error.code, -32602);
    }
    assert.equal((await run.http.get("/readyz")).body.sessions.active, 1);
  });
  assert.deepEqual((await client.request("ping")).result, {});
});
