import assert from "node:assert/strict";
import { outputDirectory } from "../../src/browser/output_directory.ts";

Deno.test({
  name: "outputDirectory() is absolute, from flag, environment, file or upstream's default",
  ignore: Deno.build.os === "windows",
}, () => {
  const sources = { upstreamArgs: [], env: {}, config: {} };
  assert.equal(outputDirectory(sources, "/srv/site"), "/srv/site/.playwright-mcp");
  assert.equal(outputDirectory({ ...sources, config: { outputDir: "out" } }, "/srv/site"), "/srv/site/out");
  const env = { PLAYWRIGHT_MCP_OUTPUT_DIR: "/srv/out" };
  assert.equal(outputDirectory({ ...sources, env }, "/srv/site"), "/srv/out");
  const upstreamArgs = [{ flag: "--output-dir", values: ["flag"] }];
  assert.equal(outputDirectory({ ...sources, env, upstreamArgs }, "/srv/site"), "/srv/site/flag");
});
