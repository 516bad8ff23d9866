import assert from "node:assert/strict";
import { availableMemory, containerMemory } from "../../src/platform/available_memory.ts";

Deno.test("containerMemory() counts what the kernel would give back as available", () => {
  assert.equal(containerMemory("1000\n700\n200\n"), 500);
  assert.equal(containerMemory("1000\n1200\n0\n"), 0);
});

Deno.test("containerMemory() knows no limit where there is none", () => {
  for (const text of ["", "max\n700\n200\n", "nonsense", "1000\n"]) {
    assert.equal(containerMemory(text), Infinity, JSON.stringify(text));
  }
});

Deno.test("availableMemory() is no more than the machine has", async () => {
  const bytes = await availableMemory();
  assert.ok(bytes > 0 && bytes <= Deno.systemMemoryInfo().total, String(bytes));
});
