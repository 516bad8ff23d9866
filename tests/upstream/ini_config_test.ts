import assert from "node:assert/strict";
import { join } from "node:path";
import { tools } from "playwright-core/lib/coreBundle";
import { parseIniConfig } from "../../src/upstream/ini_config.ts";

/** Every type, on names that need it and on names that upstream does not know. */
const EVERYTHING = `
; a comment
browser.browserName = chromium
browser.isolated = 1
browser.cdpTimeout = 1500
browser.launchOptions.headless = true
browser.launchOptions.chromiumSandbox = no
browser.launchOptions.args = --lang=de
browser.launchOptions.slowMo = 20
browser.launchOptions.proxy.server = http://proxy:1
browser.launchOptions.proxy.password = 123
browser.contextOptions.userAgent = 42
browser.contextOptions.deviceScaleFactor = 1.5
browser.contextOptions.viewport = 800x600
browser.contextOptions.screen = nonsense
browser.contextOptions.permissions[] = geolocation
browser.contextOptions.permissions[] = camera
browser.contextOptions.hasTouch = false
browser.contextOptions.extraHTTPHeaders.x-a = 1
capabilities = pdf
capabilities = ignored
saveSession = true
saveVideo = 640x480
outputDir = 2024
outputMaxSize = 1000
codegen = none
testIdAttribute = data-id
console.level = debug
network.allowedOrigins = https://a.test
timeouts.action = 1
timeouts.navigation = abc
snapshot.mode = none
snapshot.boxes = true
unknown.number = 7
unknown.text = seven
unknown.empty =

[network]
blockedOrigins = https://b.test
`;

Deno.test("parseIniConfig() means what upstream's own reader means", async () => {
  const directory = await Deno.makeTempDir();
  const ini = join(directory, "config.ini");
  const json = join(directory, "config.json");
  try {
    await Deno.writeTextFile(ini, EVERYTHING);
    await Deno.writeTextFile(json, JSON.stringify(await parseIniConfig(EVERYTHING)));
    const { configFile: _, ...theirs } = await tools.resolveCLIConfigForMCP({ config: ini }, {});
    const { configFile: __, ...ours } = await tools.resolveCLIConfigForMCP({ config: json }, {});
    // JSON has no NaN and no undefined, which upstream takes for "not set" and a broken number alike.
    assert.deepEqual(JSON.parse(JSON.stringify(ours)), JSON.parse(JSON.stringify(theirs)));
    assert.equal(ours.browser.contextOptions.viewport.width, 800);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("parseIniConfig() does not let a name reach the prototype", async () => {
  await parseIniConfig("__proto__.polluted = 1\na.__proto__.polluted = 1");
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});
