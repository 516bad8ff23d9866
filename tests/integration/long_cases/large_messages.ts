/** Case forwarding-3: messages far beyond what pipes and default buffers hold. Run by `patience_test.ts`. */
import assert from "node:assert/strict";
import { BridgeRun } from "../../harness/bridge_run.ts";
import { readMemory } from "../../harness/proc_stat.ts";
import { until } from "../../harness/until.ts";

const MIB = 1024 * 1024;
const SMALL_LIMIT = { CLOAK_PLAYWRIGHT_MCP_MAX_MESSAGE_BYTES: String(MIB) };

export const LARGE_MESSAGES: Readonly<Record<string, () => Promise<void>>> = {
  "forwarding-3 results of 11 and 40 MiB arrive whole and leave no memory behind": async () => {
    await using run = await BridgeRun.initialized();
    const { client } = run;
    await client.callTool("big", { bytes: 1024 });
    const base = readMemory(client.pid)?.residentBytes ?? 0;
    for (const size of [11 * MIB, 40 * MIB]) {
      const { result } = await client.callTool("big", { bytes: size });
      assert.equal(result.content[0].text.length, size);
      assert.ok((await client.request("ping")).result);
    }
    const peak = readMemory(client.pid)?.peakBytes ?? 0;
    assert.ok(peak - base < 5 * 40 * MIB, `grew by ${Math.round((peak - base) / MIB)} MiB`);
    await until("memory falls back", async () => {
      await client.request("ping");
      const now = readMemory(client.pid)?.residentBytes ?? 0;
      return now - base < 2.5 * 40 * MIB;
    }, 10_000);
  },

  "a result of 100 MiB arrives whole": async () => {
    await using run = await BridgeRun.initialized();
    const { result } = await run.client.callTool("big", { bytes: 100 * MIB }, { withinMs: 30_000 });
    assert.equal(result.content[0].text.length, 100 * MIB);
    assert.ok((await run.client.request("ping")).result);
  },

  "an argument of 100 MiB arrives whole": async () => {
    await using run = await BridgeRun.initialized();
    const text = "0123456789abcdef".repeat(100 * MIB / 16);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    const { structuredContent } =
      (await run.client.callTool("measure", { text }, { withinMs: 30_000 })).result;
    assert.equal(structuredContent.bytes, 100 * MIB);
    assert.equal(structuredContent.sha256, digest.toHex());
  },

  "a message of the client over --max-message-bytes gets a clear error and the session goes on": async () => {
    await using run = await BridgeRun.initialized({ env: SMALL_LIMIT });
    const { client } = run;
    await client.send({
      jsonrpc: "2.0",
      id: "long",
      method: "tools/call",
      params: { name: "browser_navigate", arguments: { text: "x".repeat(2 * MIB) } },
    });
    const refusal = await client.next((message) => message.error !== undefined);
    assert.match(refusal.message.error.message, /1048576/);
    assert.ok((await client.callTool("browser_navigate")).result);
    assert.equal(run.log.calls("browser_navigate").length, 1);
  },

  "a message of upstream over --max-message-bytes gets a clear error and the session goes on": async () => {
    await using run = await BridgeRun.initialized({ env: SMALL_LIMIT });
    const { result } = await run.client.callTool("big", { bytes: 2 * MIB });
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /max-message-bytes/);
    assert.ok((await run.client.callTool("browser_navigate")).result.structuredContent);
  },

  "a client that does not read makes upstream wait, not the bridge grow": async () => {
    await using run = await BridgeRun.initialized();
    const { client, log } = run;
    await client.callTool("big", { bytes: 8 * MIB });
    const base = readMemory(client.pid)?.residentBytes ?? 0;
    client.pauseReading();
    const calls = Array.from(
      { length: 25 },
      () => client.callTool("big", { bytes: 8 * MIB }, { withinMs: 30_000 }),
    );
    await log.called("big", 26);
    // What the client says goes on to upstream while its own reading stands still.
    await client.notify("notifications/still_talking");
    await log.next("the notification", (entry) => entry.message?.method === "notifications/still_talking");
    const blocked = readMemory(client.pid)?.residentBytes ?? 0;
    assert.ok(blocked - base < 100 * MIB, `holds ${Math.round((blocked - base) / MIB)} of 200 MiB`);
    client.resumeReading();
    for (const { result } of await Promise.all(calls)) assert.equal(result.content[0].text.length, 8 * MIB);
  },
};
