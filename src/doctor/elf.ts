/**
 * The first bytes of an executable of Linux.
 */

/** ELF-64 header, System V ABI chapter 4: `e_machine` is a half word at this place. */
const MACHINE_AT = 18;
const HEADER_BYTES = 20;

const MACHINES: Readonly<Record<number, string>> = {
  3: "x86 (32 bit)",
  40: "ARM (32 bit)",
  62: "x86-64",
  183: "ARM (64 bit)",
  243: "RISC-V",
};

const OURS: Readonly<Record<typeof Deno.build.arch, number>> = { x86_64: 62, aarch64: 183 };

export type FileKind =
  | { readonly kind: "elf"; readonly machine: number }
  | { readonly kind: "script" | "other" | "unreadable" };

export async function readFileKind(path: string): Promise<FileKind> {
  const bytes = new Uint8Array(HEADER_BYTES);
  try {
    using file = await Deno.open(path, { read: true });
    let length = 0;
    for (let read: number | null = 0; length < HEADER_BYTES && read !== null; length += read ?? 0) {
      read = await file.read(bytes.subarray(length));
    }
  } catch {
    // An executable need not be readable.
    return { kind: "unreadable" };
  }
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic.startsWith("#!")) return { kind: "script" };
  if (magic !== "\x7fELF") return { kind: "other" };
  const littleEndian = bytes[5] === 1;
  return { kind: "elf", machine: new DataView(bytes.buffer).getUint16(MACHINE_AT, littleEndian) };
}

/** Why a file cannot run on this machine, as the end of a sentence; undefined where nothing speaks against it. */
export async function elfProblem(path: string, arch: typeof Deno.build.arch): Promise<string | undefined> {
  const file = await readFileKind(path);
  if (file.kind === "other") return "it is neither a program of Linux nor a script";
  if (file.kind !== "elf" || file.machine === OURS[arch]) return undefined;
  const theirs = MACHINES[file.machine] ?? `machine ${file.machine}`;
  return `it is built for ${theirs}, and this machine is ${MACHINES[OURS[arch]]}`;
}
