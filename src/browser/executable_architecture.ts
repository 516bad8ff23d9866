/**
 * For which processor an executable was made, read from its first bytes. A file for another one fails to start with
 * a text ("Exec format error") that sends people looking elsewhere.
 */

type Architecture = typeof Deno.build.arch;

const ELF_MACHINES: Readonly<Record<number, Architecture>> = { 0x3e: "x86_64", 0xb7: "aarch64" };
const MACH_O_PROCESSORS: Readonly<Record<number, Architecture>> = {
  0x0100_0007: "x86_64",
  0x0100_000c: "aarch64",
};
const PE_MACHINES: Readonly<Record<number, Architecture>> = { 0x8664: "x86_64", 0xaa64: "aarch64" };

/** Enough for the headers of all three formats; the PE header may start anywhere, by custom within the first KiB. */
const HEADER_BYTES = 4096;

/** Undefined for a script, for a format or processor that is not known, and for a file that cannot be read. */
export async function executableArchitecture(path: string): Promise<Architecture | undefined> {
  try {
    using file = await Deno.open(path);
    const bytes = new Uint8Array(HEADER_BYTES);
    return architectureOf(bytes.subarray(0, await file.read(bytes) ?? 0));
  } catch {
    return undefined;
  }
}

/** @param header the first bytes of the file */
export function architectureOf(header: Uint8Array): Architecture | undefined {
  if (header.length < 64) return undefined;
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const magic = view.getUint32(0);
  if (magic === 0x7f45_4c46) return ELF_MACHINES[view.getUint16(18, true)];
  if (magic === 0xcffa_edfe) return MACH_O_PROCESSORS[view.getUint32(4, true)];
  if (view.getUint16(0) !== 0x4d5a) return undefined;
  const start = view.getUint32(0x3c, true);
  if (start + 6 > header.length || view.getUint32(start) !== 0x5045_0000) return undefined;
  return PE_MACHINES[view.getUint16(start + 4, true)];
}
