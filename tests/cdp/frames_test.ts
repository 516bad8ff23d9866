import assert from "node:assert/strict";
import { closeFrame, OPCODE, readFrameHeader, serverFrame, textFrame } from "../../src/cdp/frames.ts";
import { clientFrame } from "../harness/raw_websocket.ts";

Deno.test("serverFrame() writes every form of length, and readFrameHeader() reads it", () => {
  for (const size of [0, 1, 125, 126, 127, 65_535, 65_536, 70_000]) {
    const frame = serverFrame(OPCODE.binary, new Uint8Array(size));
    const header = readFrameHeader(frame);
    assert.ok(header);
    assert.equal(header.payloadLength, size);
    assert.equal(header.headerLength + size, frame.length);
    assert.deepEqual([header.final, header.reserved, header.opcode, header.masked], [
      true,
      0,
      OPCODE.binary,
      false,
    ]);
  }
});

Deno.test("readFrameHeader() waits for the whole header", () => {
  for (const size of [5, 300, 70_000]) {
    const frame = clientFrame(OPCODE.text, new Uint8Array(size), false);
    const header = readFrameHeader(frame);
    assert.ok(header);
    assert.ok(header.masked && !header.final);
    for (let length = 0; length < header.headerLength; length++) {
      assert.equal(readFrameHeader(frame.subarray(0, length)), undefined);
    }
    assert.deepEqual(readFrameHeader(frame.subarray(0, header.headerLength)), header);
  }
});

Deno.test("readFrameHeader() gives no number for a length that a number cannot hold", () => {
  const frame = Uint8Array.of(0x82, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255);
  assert.equal(readFrameHeader(frame)?.payloadLength, Infinity);
  const largest = Uint8Array.of(0x82, 127, 0, 0x1f, 255, 255, 255, 255, 255, 255);
  assert.equal(readFrameHeader(largest)?.payloadLength, Number.MAX_SAFE_INTEGER);
});

Deno.test("closeFrame() carries code and reason", () => {
  const frame = closeFrame(1001);
  assert.deepEqual(Array.from(frame.subarray(0, 4)), [0x88, 12, 0x03, 0xe9]);
  assert.equal(new TextDecoder().decode(frame.subarray(4)), "going_away");
});

Deno.test("textFrame() counts bytes, not characters", () => {
  assert.deepEqual(Array.from(textFrame("é")), [0x81, 2, 0xc3, 0xa9]);
});
