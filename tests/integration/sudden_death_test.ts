/** The bridge dies without a chance to clean up. */
import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";
import { RunFolder } from "../harness/run_folder.ts";

Deno.test("kill -9 of the bridge in the middle of a call takes upstream with it", async () => {
  const folder = new RunFolder();
  try {
    {
      await using run = await BridgeRun.initialized({ folder });
      await run.client.callTool("spawn");
      const call = run.client.callTool("never");
      call.catch(() => {}); // nobody can answer it any more
      await run.log.called("never");
      run.tree.record();
      run.client.signal("SIGKILL");
      await run.client.exit(1_000);
      await run.tree.assertNothingLeft({ withinMs: 5_000 });
      run.leavesTemporaryFiles = true;
    }
    {
      // The run's own end asserts that the temporary directory is empty, of its predecessor's files as well.
      await using next = await BridgeRun.initialized({ folder });
      assert.ok((await next.client.callTool("browser_navigate")).result);
    }
  } finally {
    folder.remove();
  }
});

Deno.test("a bridge does not take away the temporary files of another that runs", async () => {
  const folder = new RunFolder();
  try {
    await using first = await BridgeRun.initialized({ folder });
    const before = folder.temporaryEntries();
    {
      await using second = await BridgeRun.initialized({ folder });
      second.leavesTemporaryFiles = true; // those of the first
      await second.client.callTool("browser_navigate");
    }
    assert.deepEqual(folder.temporaryEntries(), before);
    const { configPath, config } = (await first.client.callTool("env")).result.structuredContent;
    assert.ok(configPath === null || config !== null, "its config file is still there");
  } finally {
    folder.remove();
  }
});
