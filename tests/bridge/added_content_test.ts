import assert from "node:assert/strict";
import { textBlock, withContent } from "../../src/bridge/added_content.ts";
import { encodeMessage } from "../../src/bridge/client_port.ts";
import { restartNotice } from "../../src/bridge/restart_notice.ts";

const decoder = new TextDecoder();

Deno.test("withContent() adds blocks behind the content, and leaves the rest", () => {
  const text = restartNotice("the former one was old");
  const answer = {
    jsonrpc: "2.0" as const,
    id: "a",
    result: { content: [{ type: "text", text: "one" }], isError: true, extra: { deep: [1] } },
    more: 1,
  };
  const { result, ...rest } = JSON.parse(
    decoder.decode(withContent(encodeMessage(answer), [textBlock(text)])),
  );
  assert.deepEqual(rest, { jsonrpc: "2.0", id: "a", more: 1 });
  assert.deepEqual(result, { ...answer.result, content: [...answer.result.content, { type: "text", text }] });
});

Deno.test("withContent() leaves an answer without content as it is", () => {
  const answers = [{ error: { code: -32603, message: "no" } }, { result: {} }, {
    result: { content: "text" },
  }];
  for (const each of answers) {
    const bytes = encodeMessage({ jsonrpc: "2.0", id: 1, ...each });
    assert.equal(withContent(bytes, [textBlock("note")]), bytes);
  }
});
