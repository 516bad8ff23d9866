import assert from "node:assert/strict";
import fc from "fast-check";
import { FrameTracker } from "../../src/cdp/frame_tracker.ts";
import { closeFrame, OPCODE, serverFrame } from "../../src/cdp/frames.ts";
import { clientFrame } from "../harness/raw_websocket.ts";

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

const frames = fc.array(
  fc.record({
    size: fc.oneof(fc.nat({ max: 200 }), fc.constantFrom(0, 125, 126, 65_536)),
    masked: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
);

Deno.test("FrameTracker finds the same ends of frames however the bytes are cut, and holds back at most a header", () => {
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 30 }), (shapes, cuts) => {
      const parts = shapes.map(({ size, masked }) =>
        (masked ? clientFrame : serverFrame)(OPCODE.binary, new Uint8Array(size).fill(0x88))
      );
      const ends = new Set<number>([0]);
      let sum = 0;
      for (const part of parts) ends.add(sum += part.length);
      const stream = concat(parts);
      const tracker = new FrameTracker(0);
      let taken = 0;
      let passed = 0;
      for (const cut of [...cuts, stream.length]) {
        taken = Math.min(stream.length, taken + cut);
        const { whole, boundary, fault } = tracker.scan(stream.subarray(passed, taken));
        assert.equal(fault, undefined);
        if (boundary >= 0) {
          assert.ok(ends.has(passed + boundary), `${passed + boundary} is no end of a frame`);
        }
        assert.ok(taken - passed - whole < 14);
        for (const end of ends) {
          if (end > passed && end <= passed + whole) assert.ok(boundary >= end - passed);
        }
        passed += whole;
      }
      assert.equal(passed, stream.length);
    }),
    { numRuns: 300 },
  );
});

Deno.test("FrameTracker stops before the frame that makes a message too long", () => {
  const whole = serverFrame(OPCODE.text, new Uint8Array(1000));
  assert.equal(new FrameTracker(1000).scan(whole).fault, undefined);
  const stream = concat([
    serverFrame(OPCODE.text, new Uint8Array(10)),
    serverFrame(OPCODE.text, new Uint8Array(1001)),
  ]);
  assert.deepEqual(new FrameTracker(1000).scan(stream), { whole: 12, boundary: 12, fault: 1009 });
});

Deno.test("FrameTracker adds the frames of a message, and leaves pings between them out", () => {
  const part = (opcode: number, size: number, final: boolean): Uint8Array => {
    const frame = serverFrame(opcode, new Uint8Array(size));
    if (!final) frame[0] = opcode;
    return frame;
  };
  const stream = (last: number): Uint8Array =>
    concat([
      part(OPCODE.text, 60, false),
      part(OPCODE.ping, 100, true),
      part(OPCODE.continuation, last, true),
      part(OPCODE.text, 100, true),
    ]);
  assert.equal(new FrameTracker(100).scan(stream(40)).fault, undefined);
  assert.equal(new FrameTracker(100).scan(stream(41)).fault, 1009);
});

Deno.test("FrameTracker refuses a length that nobody can mean", () => {
  const frame = Uint8Array.of(0x82, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255);
  assert.equal(new FrameTracker(0).scan(frame).fault, 1002);
});

Deno.test("FrameTracker notices a close frame", () => {
  const tracker = new FrameTracker(0);
  tracker.scan(serverFrame(OPCODE.text, new Uint8Array(3)));
  assert.equal(tracker.closed, false);
  tracker.scan(closeFrame(1001));
  assert.equal(tracker.closed, true);
});
