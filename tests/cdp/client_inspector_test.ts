import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import fc from "fast-check";
import { ClientInspector, type Found, MAX_INSPECTED_BYTES } from "../../src/cdp/client_inspector.ts";
import { OPCODE, serverFrame } from "../../src/cdp/frames.ts";
import { MethodRules } from "../../src/cdp/method_rules.ts";
import { clientFrame } from "../harness/raw_websocket.ts";

const encoder = new TextEncoder();

function inspector(maxMessageBytes = 0): ClientInspector {
  return new ClientInspector(new MethodRules(["Browser.close"]), maxMessageBytes);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

function text(message: object, final = true, opcode: number = OPCODE.text): Uint8Array {
  return clientFrame(opcode, encoder.encode(JSON.stringify(message)), final);
}

function forwarded(found: readonly Found[]): Uint8Array {
  return concat(found.flatMap((each) => "forward" in each ? [each.forward] : []));
}

Deno.test("ClientInspector passes on what may pass as the bytes it came in, however they are cut", () => {
  const messages = [
    text({ id: 1, method: "Page.enable" }),
    text({ id: 2, method: "Browser.close" }),
    clientFrame(OPCODE.ping, encoder.encode("hi")),
    text({ id: 3, method: "Runtime.evaluate", params: { expression: "x".repeat(70_000) } }),
  ];
  const stream = concat(messages);
  const expected = concat(messages.filter((_, index) => index !== 1));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 20 }), (cuts) => {
      const inspected = inspector();
      const found: Found[] = [];
      let at = 0;
      for (const cut of [...cuts, stream.length]) {
        found.push(...inspected.push(stream.subarray(at, at + cut)));
        at += cut;
      }
      assert.ok(Buffer.from(forwarded(found)).equals(Buffer.from(expected)));
      const answers = found.flatMap((each) => "answer" in each ? [JSON.parse(each.answer).id] : []);
      assert.deepEqual(answers, [2]);
    }),
    { numRuns: 30 },
  );
});

Deno.test("ClientInspector judges a message in several frames as one, with control frames between", () => {
  const json = encoder.encode('{"id":7,"method":"Browser.close"}');
  const first = clientFrame(OPCODE.text, json.subarray(0, 20), false);
  const ping = clientFrame(OPCODE.ping, new Uint8Array(0));
  const last = clientFrame(OPCODE.continuation, json.subarray(20));
  const found = inspector().push(concat([first, ping, last]));
  assert.deepEqual(forwarded(found), ping);
  assert.equal(found.length, 2);
  const harmless = encoder.encode('{"id":7,"method":"Browser.getVersion"}');
  const frames = [
    clientFrame(OPCODE.text, harmless.subarray(0, 20), false),
    clientFrame(OPCODE.continuation, harmless.subarray(20)),
  ];
  assert.deepEqual(forwarded(inspector().push(concat(frames))), concat(frames));
});

Deno.test("ClientInspector closes on frames that break the protocol", () => {
  const reserved = text({});
  reserved[0] = (reserved[0] ?? 0) | 0x40;
  const cases: Record<string, [Uint8Array, number]> = {
    "no mask": [serverFrame(OPCODE.text, new Uint8Array(2)), 1002],
    "reserved bit": [reserved, 1002],
    "unknown opcode": [clientFrame(3, new Uint8Array(2)), 1002],
    "unknown control": [clientFrame(11, new Uint8Array(2)), 1002],
    "long ping": [clientFrame(OPCODE.ping, new Uint8Array(126)), 1002],
    "ping in parts": [clientFrame(OPCODE.ping, new Uint8Array(2), false), 1002],
    "continuation of nothing": [clientFrame(OPCODE.continuation, new Uint8Array(2)), 1002],
    "text in a text": [concat([text({}, false), text({})]), 1002],
    "no UTF-8": [clientFrame(OPCODE.text, Uint8Array.of(0xff)), 1002],
    "binary": [clientFrame(OPCODE.binary, new Uint8Array(2)), 1003],
  };
  for (const [what, [bytes, code]] of Object.entries(cases)) {
    assert.deepEqual(inspector().push(bytes), [{ fault: code }], what);
  }
});

Deno.test("ClientInspector holds no more than its bound", () => {
  const over = (limit: number): Uint8Array =>
    clientFrame(OPCODE.text, new Uint8Array(limit + 1)).subarray(0, 20);
  assert.deepEqual(inspector(1000).push(over(1000)), [{ fault: 1009 }]);
  assert.deepEqual(inspector().push(over(MAX_INSPECTED_BYTES)), [{ fault: 1009 }]);
  const parts = concat([
    text({ a: "x".repeat(600) }, false),
    text({ a: "x".repeat(600) }, true, OPCODE.continuation),
  ]);
  assert.deepEqual(inspector(1000).push(parts), [{ fault: 1009 }]);
});

Deno.test("ClientInspector takes nothing more behind a close frame", () => {
  const close = clientFrame(OPCODE.close, Uint8Array.of(0x03, 0xe8));
  const inspecting = inspector();
  assert.deepEqual(
    forwarded(inspecting.push(concat([close, text({ id: 1, method: "Browser.close" })]))),
    close,
  );
  assert.deepEqual(inspecting.push(text({ id: 2, method: "Browser.getVersion" })), []);
});
