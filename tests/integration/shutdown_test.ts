/** Cases stdio-2 (first half) and stdio-3, and the orderly end in general. Every run proves that nothing is left. */
import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";
import { endedChildrenCpuSeconds } from "../harness/proc_stat.ts";
import { CLIENT_PROTOCOL_VERSION } from "../harness/stdio_client.ts";

const ENDS_WITHIN_MS = 5_000;

Deno.test("stdio-2 requests and end of input in one write are all answered", async () => {
  await using run = new BridgeRun();
  const { client } = run;
  await client.writeRaw(handshakeAnd({ name: "slow", arguments: { ms: 1500 } }));
  await client.closeStdin();
  const status = await client.exit(ENDS_WITHIN_MS);
  assert.equal(status.code, 0);
  assert.ok((await client.answerTo(1)).result);
  assert.equal((await client.answerTo(2)).result.content[0].text, "slept 1500 ms");
});

Deno.test("end of input without a call ends the bridge at once", async () => {
  await using run = await BridgeRun.initialized();
  const started = performance.now();
  await run.client.closeStdin();
  assert.equal((await run.client.exit(ENDS_WITHIN_MS)).code, 0);
  assert.ok(performance.now() - started < 2_000);
  assert.deepEqual(run.log.entries().slice(-2).map((entry) => entry.kind), ["eof", "exit"]);
  assert.equal(run.client.stderrText, "", "an ordinary session says nothing");
});

Deno.test("end of input before anything was said ends the bridge", async () => {
  await using run = new BridgeRun();
  await run.client.closeStdin();
  assert.equal((await run.client.exit(ENDS_WITHIN_MS)).code, 0);
  assert.deepEqual(run.client.inbox.lines, []);
});

for (const level of ["warn", "trace"]) {
  Deno.test(`stdio-3 a client that closes its read ends makes the bridge shut down by itself, log level ${level}`, async () => {
    const cpuBefore = endedChildrenCpuSeconds();
    await using run = await BridgeRun.initialized({ args: ["--log-level", level] });
    const { client, log } = run;
    await client.closeOutput();
    for (let count = 0; count < 20; count++) {
      // The bridge may be gone before the last of them, and its stdin with it.
      await client.send({ jsonrpc: "2.0", id: 100 + count, method: "ping" }).catch(() => {});
    }
    const status = await client.exit(ENDS_WITHIN_MS);
    assert.deepEqual([status.code, status.signal], [0, null]);
    await run.tree.assertNothingLeft({ withinMs: ENDS_WITHIN_MS });
    assert.ok(
      log.entries().some((entry) => entry.kind === "eof" || entry.kind === "signal"),
      "orderly for upstream",
    );
    const cpu = endedChildrenCpuSeconds() - cpuBefore;
    assert.ok(cpu < 1, `used ${cpu} s of CPU`);
  });
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  Deno.test(`${signal} in the middle of a call ends everything in order`, async () => {
    await using run = await BridgeRun.initialized();
    const { client, log } = run;
    await client.callTool("spawn");
    const call = client.callTool("never");
    await log.called("never");
    run.tree.record();
    client.signal(signal);
    assert.equal((await client.exit(ENDS_WITHIN_MS)).code, 0);
    assert.equal((await call).result.isError, true, "the call was answered");
    assert.ok(log.entries().some((entry) => entry.kind === "eof" || entry.signal === "SIGTERM"));
    assert.equal(log.entries().at(-1)?.kind, "exit", "upstream ended by itself");
  });

  Deno.test(`${signal} before initialize ends the bridge`, async () => {
    await using run = new BridgeRun();
    // A ping is answered without upstream: from then on signals are handled.
    await run.client.request("ping");
    run.client.signal(signal);
    assert.equal((await run.client.exit(ENDS_WITHIN_MS)).code, 0);
  });
}

Deno.test("a signal sent right after the start leaves nothing behind", async () => {
  await using run = new BridgeRun();
  run.client.signal("SIGTERM");
  await run.client.exit(ENDS_WITHIN_MS);
});

Deno.test("a second signal kills at once", async () => {
  await using run = await BridgeRun.initialized({ fake: ["--ignore-eof", "--ignore-signals"] });
  const { client, log } = run;
  await client.callTool("spawn");
  run.tree.record();
  client.signal("SIGTERM");
  await log.next("end of input", (entry) => entry.kind === "eof");
  const secondAt = performance.now();
  client.signal("SIGTERM");
  const status = await client.exit(ENDS_WITHIN_MS);
  assert.ok(performance.now() - secondAt < 1_000, `took ${performance.now() - secondAt} ms`);
  assert.notEqual(status.code, 0);
  run.leavesTemporaryFiles = true;
  await run.tree.assertNothingLeft({ withinMs: 1_000 });
});

/** Handshake and one tool call as one text. */
function handshakeAnd(params: unknown): string {
  const initialize = {
    protocolVersion: CLIENT_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: "hasty", version: "1" },
  };
  return [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params },
  ].map((message) => JSON.stringify(message) + "\n").join("");
}
