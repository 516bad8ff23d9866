import assert from "node:assert/strict";
import fc from "fast-check";
import { scanEnvelope, withId } from "../../src/protocol/envelope.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

Deno.test("scanEnvelope() tells requests, notifications and responses apart", () => {
  const request = scanEnvelope(encode('{"jsonrpc":"2.0","id":7,"method":"ping"}'));
  assert.deepEqual(request, { kind: "request", id: 7, method: "ping", idSpan: { start: 22, end: 23 } });
  const notification = scanEnvelope(encode('{"method":"n","params":{"id":1},"jsonrpc":"2.0"}'));
  assert.deepEqual(notification, { kind: "notification", method: "n", idSpan: undefined });
  const response = scanEnvelope(encode(' { "jsonrpc" : "2.0" , "result" : [{"id":9}] , "id" : "a" } '));
  assert.equal(response?.kind, "response");
  assert.equal(response?.kind === "response" && response.id, "a");
  const failed = scanEnvelope(encode('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}'));
  assert.deepEqual(failed && { ...failed, idSpan: 0 }, {
    kind: "response",
    id: null,
    failed: true,
    idSpan: 0,
  });
});

Deno.test("scanEnvelope() reads escaped member names and the last of repeated ones, as JSON.parse does", () => {
  const escaped = scanEnvelope(encode('{"jsonrpc":"2.0","\\u0069d":1,"method":"m"}'));
  assert.equal(escaped?.kind === "request" && escaped.id, 1);
  const repeated = scanEnvelope(encode('{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}'));
  assert.equal(repeated?.kind === "request" && repeated.id, 2);
});

Deno.test("scanEnvelope() refuses what is no JSON-RPC message", () => {
  for (
    const text of [
      "",
      "noise",
      "[]",
      "3",
      "{}",
      '{"jsonrpc":"1.0","id":1,"result":{}}',
      '{"jsonrpc":"2.0","id":1,"result":{}',
      '{"jsonrpc":"2.0","id":1,"result":{}} trailing',
      '{"jsonrpc":"2.0","id":1,"result":{]}}',
      '{"jsonrpc":"2.0","id":1,"result":"open}',
      '{"jsonrpc":"2.0","id":{},"method":"m"}',
      '{"jsonrpc":"2.0","id":1,"method":3}',
      '{"jsonrpc":"2.0","id":1,"result":{},}',
      '{"jsonrpc":"2.0","result":{}}',
      '{"jsonrpc":"2.0","id":1}',
      "{jsonrpc:2.0}",
    ]
  ) assert.equal(scanEnvelope(encode(text)), undefined, text);
});

Deno.test("scanEnvelope() agrees with JSON.parse on generated messages", () => {
  const id = fc.oneof(fc.string(), fc.integer());
  const message = fc.oneof(
    fc.record({ jsonrpc: fc.constant("2.0"), id, method: fc.string(), params: fc.jsonValue() }),
    fc.record({
      jsonrpc: fc.constant("2.0"),
      method: fc.string(),
      params: fc.jsonValue(),
      x: fc.jsonValue(),
    }),
    fc.record({ jsonrpc: fc.constant("2.0"), id, result: fc.jsonValue() }),
  );
  fc.assert(fc.property(message, fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
    const envelope = scanEnvelope(encode(JSON.stringify(value, null, indent)));
    assert.ok(envelope);
    assert.equal("id" in envelope ? envelope.id : undefined, "id" in value ? value.id : undefined);
    assert.equal(
      "method" in envelope ? envelope.method : undefined,
      "method" in value ? value.method : undefined,
    );
  }));
});

Deno.test("withId() replaces the id and leaves every other byte", () => {
  const bytes = encode(
    '{"jsonrpc":"2.0","id": 5 ,"method":"m","params":{"big":1e400,"n":12345678901234567890}}',
  );
  const envelope = scanEnvelope(bytes);
  assert.ok(envelope?.idSpan);
  assert.equal(
    decode(withId(bytes, envelope.idSpan, 'g1:"é"')),
    '{"jsonrpc":"2.0","id": "g1:\\"é\\"" ,"method":"m","params":{"big":1e400,"n":12345678901234567890}}',
  );
});
