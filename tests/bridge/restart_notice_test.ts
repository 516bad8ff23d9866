import assert from "node:assert/strict";
import { restartNotice, withNotice } from "../../src/bridge/restart_notice.ts";
import { encodeMessage } from "../../src/bridge/client_port.ts";

const decoder = new TextDecoder();

Deno.test("withNotice() adds a text behind the content, and leaves the rest", () => {
  const text = restartNotice("the former one was old");
  const answer = {
    jsonrpc: "2.0" as const,
    id: "a",
    result: { content: [{ type: "text", text: "one" }], isError: true, extra: { deep: [1] } },
    more: 1,
  };
  const { result, ...rest } = JSON.parse(decoder.decode(withNotice(encodeMessage(answer), text)));
  assert.deepEqual(rest, { jsonrpc: "2.0", id: "a", more: 1 });
  assert.deepEqual(result, { ...answer.result, content: [...answer.result.content, { type: "text", text }] });
});

Deno.test("withNotice() leaves an answer without content as it is", () => {
  const answers = [{ error: { code: -32603, message: "no" } }, { result: {} }, {
    result: { content: "text" },
  }];
  for (const each of answers) {
    const bytes = encodeMessage({ jsonrpc: "2.0", id: 1, ...each });
    assert.equal(withNotice(bytes, "note"), bytes);
  }
});
