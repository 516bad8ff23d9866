import assert from "node:assert/strict";
import { inFile, refusals, settle } from "./settle.ts";

Deno.test("resolveUpstreamOptions() keeps flags in order and their values as given", async () => {
  const { settings } = await settle({
    flags: [
      { flag: "--viewport-size", value: "800x600" },
      { flag: "--headless" },
      { flag: "--isolated" },
      { flag: "--init-script", value: " a b.js" },
      { flag: "--init-script", value: "c.js" },
      { flag: "--user-agent", value: "" },
    ],
  });
  assert.deepEqual(settings.upstreamArgs, [
    { flag: "--viewport-size", values: ["800x600"] },
    { flag: "--isolated", values: [] },
    { flag: "--init-script", values: [" a b.js"] },
    { flag: "--init-script", values: ["c.js"] },
    { flag: "--user-agent", values: [""] },
  ]);
});

Deno.test("resolveUpstreamOptions() leaves upstream's variables to upstream", async () => {
  const { settings, upstream } = await settle({
    env: { PLAYWRIGHT_MCP_CAPS: "pdf", PLAYWRIGHT_MCP_ISOLATED: "1" },
  });
  assert.deepEqual(settings.upstreamArgs, []);
  assert.deepEqual(upstream.map(({ flag, values }) => [flag, ...values]), [["--caps", "pdf"], [
    "--isolated",
  ]]);
});

Deno.test("resolveUpstreamOptions() turns variables that upstream only documents into flags", async () => {
  const { settings } = await settle({
    env: {
      PLAYWRIGHT_MCP_SNAPSHOT_BOXES: " True",
      PLAYWRIGHT_MCP_SNAPSHOT_MODE: "none",
      PLAYWRIGHT_MCP_SAVE_SESSION: "false",
    },
  });
  assert.deepEqual(settings.upstreamArgs, [
    { flag: "--snapshot-boxes", values: [] },
    { flag: "--snapshot-mode", values: ["none"] },
  ]);
  const [problem = ""] = await refusals({ env: { PLAYWRIGHT_MCP_SNAPSHOT_BOXES: "1" } });
  assert.match(problem, /PLAYWRIGHT_MCP_SNAPSHOT_BOXES: it must be "true" or "false"/);
});

Deno.test("resolveUpstreamOptions() understands the variable of a negative switch", async () => {
  const off = await settle({ env: { PLAYWRIGHT_MCP_WEBMCP: "false" } });
  assert.deepEqual(off.upstream.map(({ flag }) => flag), ["--no-webmcp"]);
  assert.deepEqual((await settle({ env: { PLAYWRIGHT_MCP_WEBMCP: "true" } })).upstream, []);
});

Deno.test("resolveUpstreamOptions() notes a switch variable that upstream would ignore", async () => {
  const { notices } = await settle({ env: { PLAYWRIGHT_MCP_ISOLATED: "yes" } });
  assert.match(notices.join(), /PLAYWRIGHT_MCP_ISOLATED has no effect/);
});

Deno.test("resolveUpstreamOptions() refuses a shared browser context and says what there is instead", async () => {
  const [problem = ""] = await refusals({ flags: [{ flag: "--shared-browser-context" }] });
  assert.match(problem, /^Cannot use --shared-browser-context: .*of its own.*--storage-state/);
  const file = inFile({ upstream: { sharedBrowserContext: true } });
  assert.match((await refusals(file)).join(), /"upstream.sharedBrowserContext"/);
  const { notices } = await settle({ env: { PLAYWRIGHT_MCP_SHARED_BROWSER_CONTEXT: "true" } });
  assert.match(notices.join(), /PLAYWRIGHT_MCP_SHARED_BROWSER_CONTEXT has no effect/);
});

Deno.test("resolveUpstreamOptions() refuses values that would make upstream end or compute with NaN", async () => {
  const wrong: [flag: string, value: string, env: string][] = [
    ["--codegen", "rust", "PLAYWRIGHT_MCP_CODEGEN"],
    ["--codegen", "", "PLAYWRIGHT_MCP_NONE"],
    ["--console-level", "warn", "PLAYWRIGHT_MCP_CONSOLE_LEVEL"],
    ["--image-responses", "no", "PLAYWRIGHT_MCP_IMAGE_RESPONSES"],
    ["--file-paths", "x", "PLAYWRIGHT_MCP_FILE_PATHS"],
    ["--timeout-action", "12abc", "PLAYWRIGHT_MCP_TIMEOUT_ACTION"],
    ["--viewport-size", "800", "PLAYWRIGHT_MCP_VIEWPORT_SIZE"],
    ["--viewport-size", "800x-1", "PLAYWRIGHT_MCP_VIEWPORT_SIZE"],
    ["--viewport-size", "axb", "PLAYWRIGHT_MCP_VIEWPORT_SIZE"],
  ];
  for (const [flag, value, env] of wrong) {
    assert.ok((await refusals({ flags: [{ flag, value }] })).join().includes(flag), `${flag} ${value}`);
    if (value !== "") assert.ok((await refusals({ env: { [env]: value } })).join().includes(env), env);
  }
});

Deno.test("resolveUpstreamOptions() takes what upstream takes", async () => {
  const right: [flag: string, value: string][] = [
    ["--codegen", "python"],
    ["--timeout-action", "1e3"],
    ["--timeout-navigation", ""],
    ["--viewport-size", "1280x720"],
    ["--viewport-size", "1280,720"],
    ["--viewport-size", ""],
    ["--caps", "anything"],
    ["--device", "iPhone 15"],
  ];
  for (const [flag, value] of right) {
    const { settings } = await settle({ flags: [{ flag, value }] });
    assert.deepEqual(settings.upstreamArgs, [{ flag, values: [value] }]);
  }
});
