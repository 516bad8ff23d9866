/**
 * Where an ELF file of 64 bits ends (ELF-64 Object File Format, version 1.5, "ELF Header"): behind its section
 * headers, which linkers write last. `deno compile` appends the program behind that.
 *
 * @throws {Error} When the bytes are not a little-endian ELF file of 64 bits.
 */
export function elfEnd(header: Uint8Array): number {
  const [e, l, f, dataClass, encoding] = header.subarray(1, 6);
  if (header.length < 64 || header[0] !== 0x7f || e !== 0x45 || l !== 0x4c || f !== 0x46) {
    throw new Error("Not an ELF file");
  }
  if (dataClass !== 2 || encoding !== 1) throw new Error("Not a little-endian ELF file of 64 bits");
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const sectionHeaderOffset = Number(view.getBigUint64(0x28, true));
  const sectionHeaderSize = view.getUint16(0x3a, true);
  const sectionCount = view.getUint16(0x3c, true);
  return sectionHeaderOffset + sectionCount * sectionHeaderSize;
}
