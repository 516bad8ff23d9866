/** What keeps the bridge from starting: exit status 2, one message on stderr, nothing on stdout. */
import assert from "node:assert/strict";
import { BridgeRun, type BridgeRunOptions } from "../harness/bridge_run.ts";

const FAULTS: ReadonlyArray<readonly [title: string, options: BridgeRunOptions, message: RegExp]> = [
  ["an unknown flag", { args: ["--hedless"] }, /--hedless[\s\S]*--headless/],
  ["a temporary directory that is not there", { env: { TMPDIR: "/nonexistent/tmp" } }, /\/nonexistent\/tmp/],
  ["a temporary directory that is a file", { env: { TMPDIR: "/etc/hostname" } }, /\/etc\/hostname/],
  ["an upstream command that is no JSON array", {
    env: { CLOAK_PLAYWRIGHT_MCP_UPSTREAM_COMMAND: "npx server" },
  }, /CLOAK_PLAYWRIGHT_MCP_UPSTREAM_COMMAND/],
  ["an empty upstream command", {
    env: { CLOAK_PLAYWRIGHT_MCP_UPSTREAM_COMMAND: "[]" },
  }, /CLOAK_PLAYWRIGHT_MCP_UPSTREAM_COMMAND/],
];

for (const [title, options, message] of FAULTS) {
  Deno.test(`start refuses ${title}`, async () => {
    await using run = new BridgeRun(options);
    assert.equal((await run.client.exit(5_000)).code, 2);
    assert.match(run.client.stderrText, message);
    assert.deepEqual(run.client.inbox.lines, []);
    assert.deepEqual(run.log.pids(), [], "no upstream was started");
  });
}
