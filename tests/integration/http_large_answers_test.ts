/** Case forwarding-3 over HTTP: large answers arrive whole and cost neither memory for good nor the other sessions. */
import assert from "node:assert/strict";
import { HttpRun } from "../harness/http_run.ts";
import { readMemory } from "../harness/proc_stat.ts";
import { passed, until } from "../harness/until.ts";

const MIB = 1024 * 1024;
const LARGE_WITHIN_MS = 60_000;

/** What the server may keep of memory that it once needed. */
const KEPT_BYTES = 96 * MIB;
const FALLS_BACK_WITHIN_MS = 20_000;

const SLOW_BYTES_PER_SECOND = 64 * 1024;
const SLOW_FOR_MS = 10_000;

Deno.test("forwarding-3 over HTTP answers of many sizes arrive whole", async (t) => {
  await using run = await HttpRun.start();
  const client = await run.open();
  // The first calls load code and let the heap take its shape, which is no cost of a large answer.
  await client.callTool("big", { bytes: 8 * MIB });
  const atFirst = readMemory(run.pid)?.residentBytes ?? 0;
  for (const size of [11, 40, 64]) {
    await t.step(`${size} MiB`, async () => {
      const before = readMemory(run.pid)?.residentBytes ?? 0;
      let peak = 0;
      let running = true;
      const watching = until("the answer", () => {
        peak = Math.max(peak, readMemory(run.pid)?.residentBytes ?? 0);
        return !running;
      }, LARGE_WITHIN_MS);
      const call = client.callTool("big", { bytes: size * MIB }, { withinMs: LARGE_WITHIN_MS });
      const text: string = (await call).result.content[0].text;
      running = false;
      await watching;
      assert.equal(text.length, size * MIB);
      assert.ok(/^x*$/.test(text), "nothing else is in it");
      assert.ok(peak - before < 5 * size * MIB, `grew by ${Math.round((peak - before) / MIB)} MiB`);
      assert.ok((await client.request("ping")).result);
    });
  }
  await t.step("the memory is given back", async () => {
    await until(
      "a small server",
      () => (readMemory(run.pid)?.residentBytes ?? 0) < atFirst + KEPT_BYTES,
      FALLS_BACK_WITHIN_MS,
    );
  });
});

Deno.test("forwarding-3 over HTTP a client that reads slowly delays nobody else", async () => {
  await using run = await HttpRun.start();
  const [client, neighbour] = [await run.open(), await run.open()];
  const response = await client.post({
    jsonrpc: "2.0",
    id: "slow reader",
    method: "tools/call",
    params: { name: "big", arguments: { bytes: 40 * MIB } },
  });
  const reader = response.body?.getReader({ mode: "byob" });
  assert.ok(reader);
  const startedAt = performance.now();
  let bytes = 0;
  while (performance.now() - startedAt < SLOW_FOR_MS) {
    const { value } = await reader.read(new Uint8Array(SLOW_BYTES_PER_SECOND));
    bytes += value?.length ?? 0;
    // Nothing is read meanwhile: who waited for the slow reader would wait for ever.
    assert.ok((await neighbour.request("ping")).result);
    assert.ok((await client.request("ping")).result, "the same session answers as well");
    await passed(Math.max(0, startedAt + bytes / SLOW_BYTES_PER_SECOND * 1000 - performance.now()));
  }
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(MIB));
    if (done) break;
    bytes += value.length;
  }
  assert.ok(bytes > 40 * MIB);
});

Deno.test("a large argument reaches upstream whole", async () => {
  await using run = await HttpRun.start({ args: ["--http-max-body-bytes", String(16 * MIB)] });
  const client = await run.open();
  const text = "é".repeat(5 * MIB);
  const { bytes } =
    (await client.callTool("measure", { text }, { withinMs: LARGE_WITHIN_MS })).result.structuredContent;
  assert.equal(bytes, 10 * MIB);
});
