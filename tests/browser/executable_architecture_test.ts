import assert from "node:assert/strict";
import { architectureOf, executableArchitecture } from "../../src/browser/executable_architecture.ts";

function header(...parts: [offset: number, bytes: number[]][]): Uint8Array {
  const bytes = new Uint8Array(256);
  for (const [offset, content] of parts) bytes.set(content, offset);
  return bytes;
}

const ELF: [number, number[]] = [0, [0x7f, 0x45, 0x4c, 0x46]];
const MACH_O = [0xcf, 0xfa, 0xed, 0xfe];

Deno.test("architectureOf() tells the processor of an ELF, Mach-O and PE file", () => {
  assert.equal(architectureOf(header(ELF, [18, [0x3e, 0]])), "x86_64");
  assert.equal(architectureOf(header(ELF, [18, [0xb7, 0]])), "aarch64");
  assert.equal(architectureOf(header([0, [...MACH_O, 0x07, 0, 0, 1]])), "x86_64");
  assert.equal(architectureOf(header([0, [...MACH_O, 0x0c, 0, 0, 1]])), "aarch64");
  const pe = (machine: number[]): Uint8Array =>
    header([0, [0x4d, 0x5a]], [0x3c, [128]], [128, [0x50, 0x45, 0, 0, ...machine]]);
  assert.equal(architectureOf(pe([0x64, 0x86])), "x86_64");
  assert.equal(architectureOf(pe([0x64, 0xaa])), "aarch64");
});

Deno.test("architectureOf() judges nothing that it does not know", () => {
  assert.equal(architectureOf(header(ELF, [18, [0xf3, 0]])), undefined);
  assert.equal(architectureOf(new TextEncoder().encode("#!/bin/sh\n".padEnd(100))), undefined);
  assert.equal(architectureOf(header([0, [0x4d, 0x5a]], [0x3c, [0xff, 0xff]])), undefined);
  assert.equal(architectureOf(new Uint8Array(3)), undefined);
});

Deno.test("executableArchitecture() reads a program of this machine, and no file that is not there", async () => {
  assert.equal(await executableArchitecture(await Deno.realPath(Deno.execPath())), Deno.build.arch);
  assert.equal(await executableArchitecture("/not/there"), undefined);
});
