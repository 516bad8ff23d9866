import assert from "node:assert/strict";
import { readClientMessage } from "../../src/bridge/client_message.ts";

const read = (text: string): ReturnType<typeof readClientMessage> =>
  readClientMessage(new TextEncoder().encode(text));

Deno.test("readClientMessage() tells requests, notifications and responses apart", () => {
  assert.deepEqual(read('{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}'), {
    kind: "request",
    id: 1,
    method: "m",
    params: { a: 1 },
  });
  assert.equal(read('{"jsonrpc":"2.0","method":"m"}').kind, "notification");
  assert.deepEqual(read('{"jsonrpc":"2.0","id":"g1:1","result":{}}'), { kind: "response", id: "g1:1" });
});

Deno.test("readClientMessage() answers what is no JSON with a parse error", () => {
  for (const bytes of [new TextEncoder().encode("garbage"), Uint8Array.of(0x22, 0xff, 0x22)]) {
    const message = readClientMessage(bytes);
    assert.ok(message.kind === "fault");
    assert.deepEqual([message.id, message.error.code], [null, -32700]);
  }
});

Deno.test("readClientMessage() answers what is no request with an invalid request, and its id where it has one", () => {
  const cases: [string, string | number | null][] = [
    ["[]", null],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null],
    ["42", null],
    ["null", null],
    ['{"id":5,"method":"ping"}', 5],
    ['{"jsonrpc":"1.0","id":"x","method":"ping"}', "x"],
    ['{"jsonrpc":"2.0","id":6}', 6],
    ['{"jsonrpc":"2.0","id":7,"method":3}', 7],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
  ];
  for (const [text, id] of cases) {
    const message = read(text);
    assert.ok(message.kind === "fault", text);
    assert.deepEqual([message.id, message.error.code], [id, -32600], text);
  }
});

Deno.test("readClientMessage() answers an id that no answer could bear", () => {
  const cases: [string, number | null][] = [["1.5", 1.5], ["9007199254740993", null], ["1e400", null]];
  for (const [text, id] of cases) {
    const message = read(`{"jsonrpc":"2.0","id":${text},"method":"ping"}`);
    assert.ok(message.kind === "fault", text);
    assert.deepEqual([message.id, message.error.code], [id, -32600], text);
  }
  for (const id of ["9007199254740991", "-9007199254740991", "1.0", "0", '"1.5"', '""']) {
    const message = read(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    assert.ok(message.kind === "request", id);
    assert.equal(message.unanswerable, undefined, id);
  }
});

Deno.test("readClientMessage() tells what the SDK of an upstream would drop without a word", () => {
  const cases: [string, number][] = [
    ['"params":[]', -32602],
    ['"params":5', -32602],
    ['"params":null', -32602],
    ['"params":{"_meta":5}', -32602],
    ['"params":{"_meta":{"progressToken":{}}}', -32602],
    ['"params":{"_meta":{"progressToken":1.5}}', -32602],
    ['"params":{"_meta":{"io.modelcontextprotocol/related-task":{}}}', -32602],
    ['"result":{}', -32600],
    ['"extra":1', -32600],
  ];
  for (const [member, code] of cases) {
    const message = read(`{"jsonrpc":"2.0","id":1,"method":"ping",${member}}`);
    assert.ok(message.kind === "request", member);
    assert.equal(message.unanswerable?.code, code, member);
  }
});
