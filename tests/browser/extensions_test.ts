import assert from "node:assert/strict";
import { join } from "node:path";
import { checkExtensions } from "../../src/browser/extensions.ts";
import { AppError } from "../../src/errors.ts";

const NOTHING = { upstreamArgs: [], env: {}, config: {} };

Deno.test("checkExtensions() wants a profile on disk and a Chromium of ours, and reports all faults at once", async () => {
  const directory = await Deno.makeTempDir();
  await Deno.writeTextFile(join(directory, "manifest.json"), '{"manifest_version":3}');
  try {
    await checkExtensions({ extensionPaths: [directory] }, NOTHING);
    await checkExtensions({ extensionPaths: [] }, { ...NOTHING, env: { PLAYWRIGHT_MCP_ISOLATED: "true" } });
    await checkExtensions({ extensionPaths: [directory] }, {
      ...NOTHING,
      env: { PLAYWRIGHT_MCP_ISOLATED: "false" },
    });
    const sources = {
      ...NOTHING,
      env: { PLAYWRIGHT_MCP_CDP_ENDPOINT: "http://127.0.0.1:9" },
      config: { browser: { isolated: true } },
    };
    await assert.rejects(
      checkExtensions({ extensionPaths: [directory, join(directory, "nowhere")] }, sources),
      (error) => {
        assert.ok(error instanceof AppError && error.code === "usage");
        const [attached, isolated, missing, ...rest] = error.message.split("\n");
        assert.match(attached ?? "", /together with PLAYWRIGHT_MCP_CDP_ENDPOINT/);
        assert.match(isolated ?? "", /together with "browser\.isolated" of the configuration file/);
        assert.match(missing ?? "", /^Cannot use extensionPaths\[1\] ".*nowhere": it does not exist$/);
        assert.deepEqual(rest, []);
        return true;
      },
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
