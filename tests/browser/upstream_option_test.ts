import assert from "node:assert/strict";
import { upstreamOption, valueAt } from "../../src/browser/upstream_option.ts";

const NAMES = { flag: "--browser", env: "PLAYWRIGHT_MCP_BROWSER", config: "browser.browserName" };
const CONFIG = { browser: { browserName: "webkit" } };

Deno.test("upstreamOption() prefers flag to environment to file", () => {
  const upstreamArgs = [{ flag: "--browser", values: ["chrome"] }, { flag: "--browser", values: ["msedge"] }];
  const env = { PLAYWRIGHT_MCP_BROWSER: " firefox " };
  assert.deepEqual(upstreamOption({ upstreamArgs, env, config: CONFIG }, NAMES), {
    value: "msedge",
    origin: "--browser",
  });
  assert.deepEqual(upstreamOption({ upstreamArgs: [], env, config: CONFIG }, NAMES), {
    value: "firefox",
    origin: "PLAYWRIGHT_MCP_BROWSER",
  });
  assert.deepEqual(
    upstreamOption({ upstreamArgs: [], env: { PLAYWRIGHT_MCP_BROWSER: "" }, config: CONFIG }, NAMES),
    {
      value: "webkit",
      origin: '"browser.browserName" of the configuration file',
    },
  );
  assert.equal(upstreamOption({ upstreamArgs: [], env: {}, config: {} }, NAMES), undefined);
});

Deno.test("upstreamOption() gives true for a switch", () => {
  const sources = { upstreamArgs: [{ flag: "--extension", values: [] }], env: {}, config: {} };
  assert.equal(upstreamOption(sources, { flag: "--extension" })?.value, true);
});

Deno.test("valueAt() follows own members only", () => {
  assert.equal(valueAt({ a: { b: 1 } }, "a.b"), 1);
  assert.equal(valueAt({ a: [1] }, "a.length"), undefined);
  assert.equal(valueAt({}, "constructor.name"), undefined);
});
