import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";

Deno.test("the log names session, tool and outcome, never arguments or results", async () => {
  await using run = await BridgeRun.initialized({ args: ["--log-level", "info", "--log-format", "json"] });
  const { client } = run;
  await client.callTool("browser_navigate", { url: "http://canary.invalid/" });
  await client.callTool("browser_fail");
  await client.callTool("err");
  await client.closeStdin();
  await client.exit(5_000);
  const lines = client.stderrText.trimEnd().split("\n").map((line) => JSON.parse(line));
  const calls = lines.filter((line) => line.tool !== undefined && line.session !== undefined);
  assert.deepEqual(calls.map(({ tool, outcome }) => [tool, outcome]), [
    ["browser_navigate", "ok"],
    ["browser_fail", "tool_error"],
    ["err", "rpc_error"],
  ]);
  assert.ok(!client.stderrText.includes("canary"));
});

Deno.test("upstream's stderr is in the log at debug and nowhere else", async (t) => {
  for (const level of ["warn", "debug"]) {
    await t.step(level, async () => {
      await using run = await BridgeRun.initialized({ args: ["--log-level", level] });
      await run.client.callTool("stderr", { bytes: 100 });
      await run.client.closeStdin();
      await run.client.exit(5_000);
      assert.equal(run.client.stderrText.includes("e".repeat(100)), level === "debug");
    });
  }
});
