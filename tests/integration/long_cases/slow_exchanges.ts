/** Calls and answers that take long. Run by `patience_test.ts`. */
import assert from "node:assert/strict";
import { BridgeRun } from "../../harness/bridge_run.ts";
import { readMemory } from "../../harness/proc_stat.ts";
import { passed } from "../../harness/until.ts";

const MIB = 1024 * 1024;

export const SLOW_EXCHANGES: Readonly<Record<string, () => Promise<void>>> = {
  "forwarding-4 a call of 70 s is not cut at 60 s": async () => {
    await using run = await BridgeRun.initialized();
    const { result } = await run.client.callTool("slow", { ms: 70_000 }, { withinMs: 80_000 });
    assert.equal(result.content[0].text, "slept 70000 ms");
  },

  "forwarding-3 a client that reads 64 KiB/s for 10 s gets everything": async () => {
    await using run = await BridgeRun.initialized();
    const { client, log } = run;
    const base = readMemory(client.pid)?.residentBytes ?? 0;
    client.limitReading(64 * 1024);
    const calls = [11, 40].map((size) => client.callTool("big", { bytes: size * MIB }, { withinMs: 60_000 }));
    const slow = client.callTool("slow", { ms: 10_000 }, { withinMs: 60_000 });
    await log.called("slow");
    await passed(10_000);
    const grown = (readMemory(client.pid)?.peakBytes ?? 0) - base;
    assert.ok(grown < 5 * 40 * MIB, `grew by ${Math.round(grown / MIB)} MiB`);
    client.limitReading(Infinity);
    const sizes = (await Promise.all(calls)).map((answer) => answer.result.content[0].text.length);
    assert.deepEqual(sizes, [11 * MIB, 40 * MIB]);
    assert.ok((await slow).result);
    assert.ok((await client.request("ping")).result);
  },
};
