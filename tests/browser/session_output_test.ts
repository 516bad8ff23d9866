import assert from "node:assert/strict";
import { withSessionOutput } from "../../src/browser/session_output.ts";

const OUT = { flag: "--output-dir", values: ["/srv/out"] };
const CAPS = { flag: "--caps", values: ["pdf"] };

async function outputOf(
  upstreamArgs: readonly { flag: string; values: string[] }[],
  env: Record<string, string> = {},
): Promise<readonly { flag: string; values: readonly string[] }[]> {
  return (await withSessionOutput({ upstreamArgs }, env, {}, "0a1b2c3d")).upstreamArgs;
}

Deno.test({
  name: "withSessionOutput() makes a directory of the session's own out of the chosen one",
  ignore: Deno.build.os === "windows",
}, async () => {
  const own = { flag: "--output-dir", values: ["/srv/out/0a1b2c3d"] };
  assert.deepEqual(await outputOf([OUT, CAPS]), [CAPS, own]);
  assert.deepEqual(await outputOf([CAPS], { PLAYWRIGHT_MCP_OUTPUT_DIR: "/srv/out" }), [CAPS, own]);
});

Deno.test({
  name: "withSessionOutput() uses the working directory, or the temporary one where files cannot go there",
  ignore: Deno.build.os === "windows",
}, async () => {
  const before = Deno.cwd();
  const directory = await Deno.realPath(await Deno.makeTempDir());
  try {
    Deno.chdir(directory);
    assert.deepEqual((await outputOf([]))[0]?.values, [`${directory}/.playwright-mcp/0a1b2c3d`]);
    Deno.chdir("/");
    assert.deepEqual((await outputOf([], { TMPDIR: "/srv/tmp" }))[0]?.values, [
      "/srv/tmp/.playwright-mcp/0a1b2c3d",
    ]);
  } finally {
    Deno.chdir(before);
    await Deno.remove(directory);
  }
});
