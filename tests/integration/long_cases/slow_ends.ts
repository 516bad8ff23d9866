/** Ends of a session that take seconds, because somebody does not do his part. Run by `patience_test.ts`. */
import assert from "node:assert/strict";
import { BridgeRun } from "../../harness/bridge_run.ts";

const MIB = 1024 * 1024;

export const SLOW_ENDS: Readonly<Record<string, () => Promise<void>>> = {
  "stdio-2 a call that never ends holds the exit up to the drain bound": async () => {
    await using run = await BridgeRun.initialized();
    const { client, log } = run;
    const call = client.callTool("never");
    await log.called("never");
    const closedAt = performance.now();
    await client.closeStdin();
    assert.equal((await client.exit(10_000)).code, 0);
    assert.ok(performance.now() - closedAt > 1_000, "it was given some time");
    assert.equal((await call).result.isError, true, "and then an answer");
  },

  "an upstream that ignores end of input and SIGTERM is killed within the grace": async () => {
    await using run = await stubborn();
    const { client, log } = run;
    client.signal("SIGTERM");
    assert.equal((await client.exit(5_000)).code, 0);
    assert.ok(log.entries().some((entry) => entry.kind === "eof"), "asked by end of input first");
    assert.ok(log.entries().some((entry) => entry.signal === "SIGTERM"), "then by SIGTERM");
    await run.tree.assertNothingLeft({ withinMs: 1_000 });
  },

  "an upstream that does not read its input any more is ended": async () => {
    await using run = await BridgeRun.initialized();
    const { client } = run;
    await client.callTool("hang_stdin");
    const stuck = client.callTool("browser_navigate", { text: "x".repeat(4 * MIB) });
    stuck.catch(() => {}); // settles with the run
    await client.closeStdin();
    assert.equal((await client.exit(10_000)).code, 0);
  },

  "a client that stops reading and then closes its output is left": async () => {
    await using run = await BridgeRun.initialized();
    const { client, log } = run;
    client.pauseReading();
    for (let count = 0; count < 4; count++) client.callTool("big", { bytes: 8 * MIB }).catch(() => {});
    await log.called("big", 4);
    await client.closeStdin();
    assert.equal((await client.exit(12_000)).code, 0);
  },

  "a client that stops reading does not keep SIGTERM from ending the bridge": async () => {
    await using run = await BridgeRun.initialized();
    const { client, log } = run;
    client.pauseReading();
    for (let count = 0; count < 4; count++) client.callTool("big", { bytes: 8 * MIB }).catch(() => {});
    await log.called("big", 4);
    client.signal("SIGTERM");
    assert.equal((await client.exit(5_000)).code, 0);
  },

  "a stopped upstream is ended within the bound": async () => {
    await using run = await BridgeRun.initialized();
    const { client, log } = run;
    await client.callTool("spawn");
    run.tree.record();
    Deno.kill(log.pids()[0] ?? 0, "SIGSTOP");
    client.signal("SIGTERM");
    assert.equal((await client.exit(5_000)).code, 0);
    await run.tree.assertNothingLeft({ withinMs: 1_000 });
  },
};

/** A run whose upstream does not end when it is asked, and has a grandchild in a session of its own. */
async function stubborn(): Promise<BridgeRun> {
  const run = await BridgeRun.initialized({ fake: ["--ignore-eof", "--ignore-signals"] });
  await run.client.callTool("spawn");
  run.tree.record();
  return run;
}
