import assert from "node:assert/strict";
import { upstreamFileKeys } from "../../src/settings/upstream_file.ts";
import { inFile, refusals, settle } from "./settle.ts";

async function argumentsFor(upstream: unknown): Promise<string[][]> {
  const { settings } = await settle(inFile({ upstream }));
  return settings.upstreamArgs.map(({ flag, values }) => [flag, ...values]);
}

Deno.test("readUpstreamFile() takes flags in camelCase and as on the command line", async () => {
  assert.deepEqual(await argumentsFor({ viewportSize: "800x600" }), [["--viewport-size", "800x600"]]);
  assert.deepEqual(await argumentsFor({ "viewport-size": "800x600" }), [["--viewport-size", "800x600"]]);
});

Deno.test("readUpstreamFile() turns JSON values into what the flag takes", async () => {
  assert.deepEqual(await argumentsFor({ timeoutAction: 100 }), [["--timeout-action", "100"]]);
  assert.deepEqual(await argumentsFor({ isolated: true }), [["--isolated"]]);
  assert.deepEqual(await argumentsFor({ isolated: false }), []);
  assert.deepEqual(await argumentsFor({ webmcp: false }), [["--no-webmcp"]]);
  assert.deepEqual(await argumentsFor({ webmcp: true }), []);
  assert.deepEqual(await argumentsFor({ noWebmcp: true }), [["--no-webmcp"]]);
  assert.deepEqual(await argumentsFor({ caps: ["pdf", "vision"] }), [["--caps", "pdf,vision"]]);
  assert.deepEqual(await argumentsFor({ blockedOrigins: ["a", "b"] }), [["--blocked-origins", "a;b"]]);
  assert.deepEqual(await argumentsFor({ cdpHeader: ["A: 1", "B: 2"] }), [["--cdp-header", "A: 1"], [
    "--cdp-header",
    "B: 2",
  ]]);
});

Deno.test("readUpstreamFile() starts relative paths from the file's directory", async () => {
  assert.deepEqual(
    await argumentsFor({ outputDir: "out", initScript: ["a.js", "/b.js"], userAgent: "./ua" }),
    [
      ["--init-script", "/etc/mcp/a.js"],
      ["--init-script", "/b.js"],
      ["--output-dir", "/etc/mcp/out"],
      ["--user-agent", "./ua"],
    ],
  );
});

Deno.test("readUpstreamFile() yields to flag and environment, option by option", async () => {
  const file = inFile({ upstream: { caps: "pdf", viewportSize: "1x1", device: "Nokia N9" } });
  const { settings } = await settle({
    flags: [{ flag: "--caps", value: "vision" }],
    env: { ...file.env, PLAYWRIGHT_MCP_VIEWPORT_SIZE: "2x2" },
    files: file.files ?? {},
  });
  assert.deepEqual(settings.upstreamArgs, [
    { flag: "--caps", values: ["vision"] },
    { flag: "--device", values: ["Nokia N9"] },
  ]);
});

Deno.test("readUpstreamFile() refuses wrong types, unknown names and flags that are not upstream's here", async () => {
  const cases: [upstream: unknown, problem: RegExp][] = [
    [{ isolated: "true" }, /"upstream.isolated" .*true or false/],
    [{ webmcp: "no" }, /"upstream.webmcp" .*true or false/],
    [{ viewportSize: 5 }, /"upstream.viewportSize" .*a string/],
    [{ timeoutAction: true }, /"upstream.timeoutAction" .*a number/],
    [{ caps: [1] }, /"upstream.caps" .*array of strings/],
    [{ initScript: {} }, /"upstream.initScript" .*array of strings/],
    [{ viewPortSiz: "1x1" }, /"upstream.viewPortSiz" .*did you mean "viewportSize"/],
    [{ headless: true }, /set "headless" at the top/],
    [{ port: 1 }, /set "httpPort" at the top/],
    [{ sharedBrowserContext: true }, /a browser and a private profile of its own/],
    [{ codegen: "rust" }, /"rust" for "upstream.codegen"/],
  ];
  for (const [upstream, problem] of cases) {
    assert.match((await refusals(inFile({ upstream }))).join(), problem);
  }
});

Deno.test("upstreamFileKeys() has a key for every flag that is handed on", () => {
  const keys = upstreamFileKeys();
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(keys.includes("webmcp") && keys.includes("viewportSize"));
});
