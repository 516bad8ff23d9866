import assert from "node:assert/strict";
import { elfEnd } from "../../../scripts/build/elf.ts";

function header(change: (view: DataView) => void = () => {}): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0x28, 97_073_744n, true);
  view.setUint16(0x3a, 64, true);
  view.setUint16(0x3c, 36, true);
  change(view);
  return bytes;
}

Deno.test("elfEnd() is behind the section headers", () => {
  assert.equal(elfEnd(header()), 97_076_048);
});

Deno.test("elfEnd() reads a header in the middle of a buffer", () => {
  const shifted = new Uint8Array(74);
  shifted.set(header(), 10);
  assert.equal(elfEnd(shifted.subarray(10)), 97_076_048);
});

Deno.test("elfEnd() refuses what is no little-endian ELF file of 64 bits", () => {
  const others = [
    new Uint8Array(64),
    header().subarray(0, 63),
    header((view) => view.setUint8(4, 1)),
    header((view) => view.setUint8(5, 2)),
  ];
  for (const other of others) assert.throws(() => elfEnd(other), /Not a/);
});
