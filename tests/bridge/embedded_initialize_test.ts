/** Whether what the bridge answers ahead is what the embedded upstream itself would answer. */
import assert from "node:assert/strict";
import { embeddedInitializeResult } from "../../src/bridge/handshake.ts";
import embedded from "../../src/bridge/embedded_initialize.json" with { type: "json" };
import { inheritedEnvironment } from "../harness/bridge_run.ts";
import { RunFolder } from "../harness/run_folder.ts";
import { StdioClient } from "../harness/stdio_client.ts";
import { sourceCommand } from "../harness/target.ts";

/** Not known to any server: what a newer client would send. */
const FUTURE_VERSION = "2099-01-01";

for (const protocolVersion of [...embedded.protocolVersions, FUTURE_VERSION]) {
  Deno.test(`embeddedInitializeResult() is what upstream answers to version ${protocolVersion}`, async () => {
    const params = {
      protocolVersion,
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
      clientInfo: { name: "comparing", version: "1" },
    };
    const folder = new RunFolder();
    const { command, args } = sourceCommand();
    const client = StdioClient.start({
      command,
      args: [...args, "upstream"],
      env: { ...inheritedEnvironment(), TMPDIR: folder.temporary },
      cwd: folder.work,
    });
    try {
      const { result } = await client.request("initialize", params);
      assert.deepEqual(embeddedInitializeResult(params), result);
      assert.equal(
        result.protocolVersion,
        protocolVersion === FUTURE_VERSION ? embedded.protocolVersions[0] : protocolVersion,
      );
    } finally {
      await client.closeStdin();
      await client.exit(10_000);
      folder.remove();
    }
  });
}
