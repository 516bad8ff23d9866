/** Width and height of a picture, from the header of its file. */
import assert from "node:assert/strict";

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** PNG specification, section 11.2.1: the IHDR chunk is the first and starts with both sizes. */
export function pngSize(bytes: Uint8Array): readonly [width: number, height: number] {
  assert.deepEqual([...bytes.subarray(0, 8)], PNG_SIGNATURE, "no PNG");
  assert.equal(new TextDecoder().decode(bytes.subarray(12, 16)), "IHDR");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [view.getUint32(16), view.getUint32(20)];
}

/** ITU T.81, section B.2.2: a start-of-frame segment holds both sizes, height first. */
export function jpegSize(bytes: Uint8Array): readonly [width: number, height: number] {
  assert.deepEqual([...bytes.subarray(0, 2)], [0xff, 0xd8], "no JPEG");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at < bytes.length;) {
    const marker = view.getUint8(at + 1);
    if (marker >= 0xc0 && marker <= 0xc3) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    at += 2 + view.getUint16(at + 2);
  }
  throw new Error("Cannot find the size of the JPEG");
}
