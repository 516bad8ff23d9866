import assert from "node:assert/strict";
import { configText } from "../../../src/cli/commands/config.ts";
import { optionRows } from "../../../src/settings/option_table.ts";
import { inFile, settle } from "../../settings/settle.ts";

Deno.test("configText() prints every setting and where it came from", async () => {
  const file = inFile({ logLevel: "info", upstream: { caps: "pdf" } });
  const resolved = await settle({
    ...file,
    env: { ...file.env, PLAYWRIGHT_MCP_DEVICE: "iPhone 15" },
    flags: [{ flag: "--no-headless" }, { flag: "--isolated" }],
  });
  const text = configText(resolved, false);
  for (const [key] of optionRows()) assert.match(text, new RegExp(`^${key} = `, "m"));
  assert.match(text, /^headless = false +\(flag --no-headless\)$/m);
  assert.match(text, /^logLevel = info +\(file \/etc\/mcp\/settings\.jsonc\)$/m);
  assert.match(text, /^browserEngine = cloak +\(default\)$/m);
  assert.match(text, /^--isolated +\(flag --isolated\)$/m);
  assert.match(text, /^--caps pdf +\(file \/etc\/mcp\/settings\.jsonc\)$/m);
  assert.match(text, /^--device iPhone 15 +\(env PLAYWRIGHT_MCP_DEVICE\)$/m);
});

Deno.test("configText() prints the same as JSON", async () => {
  const resolved = await settle({
    flags: [{ flag: "--extra-args", value: "--a,--b" }, { flag: "--browser", value: "chrome" }],
  });
  const report = JSON.parse(configText(resolved, true));
  assert.deepEqual(report.settings.extraArgs, { value: ["--a", "--b"], from: "flag --extra-args" });
  assert.deepEqual(report.settings.binaryPath, { value: null, from: "default" });
  assert.deepEqual(report.upstream, [{ flag: "--browser", values: ["chrome"], from: "flag --browser" }]);
  assert.equal(report.notices.length, 1);
});

Deno.test("configText() hides secrets in both forms", async () => {
  const resolved = await settle({
    env: {
      CLOAKBROWSER_LICENSE_KEY: "s3cret-key",
      CLOAKBROWSER_DOWNLOAD_URL: "https://me:s3cret-pass@mirror.example/x",
      PLAYWRIGHT_MCP_CDP_ENDPOINT: "wss://host/?token=s3cret-token",
    },
    flags: [
      { flag: "--cdp-header", value: "Authorization: Bearer s3cret-header" },
      { flag: "--proxy-server", value: "http://u:s3cret-proxy@proxy.example" },
      { flag: "--extra-args", value: "--proxy-server=http://u:s3cret-args@proxy.example" },
    ],
  });
  for (const json of [false, true]) {
    const text = configText(resolved, json);
    assert.ok(!text.includes("s3cret"), text);
    assert.ok(text.includes("<hidden>") && text.includes("mirror.example/x"));
  }
});
