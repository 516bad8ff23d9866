import assert from "node:assert/strict";
import { elfProblem, readFileKind } from "../../src/doctor/elf.ts";
import { elfHeader, Place } from "./test_world.ts";

Deno.test("elfProblem() tells for which machine a program was built", async () => {
  using place = new Place();
  const arm = place.write("arm", elfHeader(183), 0o755);
  assert.equal(await elfProblem(arm, "x86_64"), "it is built for ARM (64 bit), and this machine is x86-64");
  assert.equal(await elfProblem(arm, "aarch64"), undefined);
  const odd = place.write("odd", elfHeader(4711), 0o755);
  assert.match(await elfProblem(odd, "aarch64") ?? "", /built for machine 4711/);
});

Deno.test("elfProblem() finds nothing wrong with scripts and with this program, and tells what is neither", async () => {
  using place = new Place();
  assert.equal(await elfProblem(place.write("script", "#!/bin/sh\n"), Deno.build.arch), undefined);
  assert.equal(await elfProblem(Deno.execPath(), Deno.build.arch), undefined);
  for (const content of ["", "MZ", "hello, world, this is long enough"]) {
    assert.match(await elfProblem(place.write("text", content), Deno.build.arch) ?? "", /neither a program/);
  }
});

Deno.test("readFileKind() does not judge what cannot be read", async () => {
  assert.deepEqual(await readFileKind("/nowhere/at/all"), { kind: "unreadable" });
});
