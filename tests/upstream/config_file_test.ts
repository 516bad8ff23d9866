import assert from "node:assert/strict";
import type { BrowserPlan } from "../../src/browser/browser_plan.ts";
import { valueAt } from "../../src/browser/upstream_option.ts";
import { effectiveLaunchSettings, upstreamConfig, withoutServer } from "../../src/upstream/config_file.ts";
import { browserSettings } from "../browser/test_settings.ts";

const CLOAK: BrowserPlan = {
  engine: "cloak",
  executablePath: "/cache/chrome",
  source: "cloakbrowser",
  stealthArgs: ["--no-sandbox", "--fingerprint=1", "--fingerprint-platform=windows"],
};
const UPSTREAM: BrowserPlan = { engine: "playwright", executablePath: undefined, source: "upstream" };
const DEFAULTS = { headless: { kind: "default" }, sandbox: { kind: "default" } };

Deno.test("upstreamConfig() describes CloakBrowser where the user says nothing", () => {
  assert.deepEqual(
    upstreamConfig({ settings: browserSettings(), plan: CLOAK, userConfig: {}, initPages: [] }),
    {
      browser: {
        browserName: "chromium",
        launchOptions: {
          executablePath: "/cache/chrome",
          headless: true,
          args: ["--fingerprint=1", "--fingerprint-platform=windows", "--no-sandbox"],
          chromiumSandbox: false,
          ignoreDefaultArgs: ["--enable-automation", "--enable-unsafe-swiftshader"],
        },
      },
    },
  );
});

Deno.test("upstreamConfig() keeps what the user wrote, and joins the browser arguments by key", () => {
  const userConfig = {
    capabilities: ["pdf"],
    browser: {
      isolated: true,
      contextOptions: { viewport: { width: 800, height: 600 } },
      launchOptions: {
        args: ["--fingerprint=2", "--lang=de"],
        ignoreDefaultArgs: ["--mute-audio"],
        slowMo: 5,
      },
    },
  };
  const config = upstreamConfig({ settings: browserSettings(), plan: CLOAK, userConfig, initPages: [] });
  assert.deepEqual(config["capabilities"], ["pdf"]);
  assert.deepEqual(valueAt(config, "browser.contextOptions"), userConfig.browser.contextOptions);
  assert.equal(valueAt(config, "browser.isolated"), true);
  assert.deepEqual(valueAt(config, "browser.launchOptions"), {
    executablePath: "/cache/chrome",
    headless: true,
    args: ["--fingerprint=2", "--fingerprint-platform=windows", "--no-sandbox", "--lang=de"],
    chromiumSandbox: false,
    ignoreDefaultArgs: ["--mute-audio"],
    slowMo: 5,
  });
});

Deno.test("upstreamConfig() does not change what it is given", () => {
  const userConfig = { browser: { launchOptions: { args: ["--lang=de"] } } };
  const before = structuredClone(userConfig);
  upstreamConfig({ settings: browserSettings(), plan: CLOAK, userConfig, initPages: ["/a.js"] });
  assert.deepEqual(userConfig, before);
});

Deno.test("upstreamConfig() leaves the browser's name to Playwright with that engine", () => {
  const settings = browserSettings({ browserEngine: "playwright", extraArgs: ["--lang=de"] });
  assert.deepEqual(upstreamConfig({ settings, plan: UPSTREAM, userConfig: {}, initPages: [] }), {
    browser: { launchOptions: { headless: true, args: ["--lang=de"] } },
  });
});

Deno.test("upstreamConfig() launches nothing where upstream attaches", () => {
  const userConfig = { browser: { cdpEndpoint: "http://localhost:9222" } };
  const plan: BrowserPlan = { ...UPSTREAM, attaches: true };
  assert.deepEqual(
    upstreamConfig({ settings: browserSettings(), plan, userConfig, initPages: [] }),
    userConfig,
  );
});

Deno.test("upstreamConfig() lets our init pages replace those of the file", () => {
  const userConfig = { browser: { initPage: ["/theirs.ts"], initScript: ["/script.js"] } };
  const given = (initPages: string[]): unknown =>
    valueAt(
      upstreamConfig({ settings: browserSettings(), plan: CLOAK, userConfig, initPages }),
      "browser.initPage",
    );
  assert.deepEqual(given(["/ours.ts"]), ["/ours.ts"]);
  assert.deepEqual(given([]), ["/theirs.ts"]);
});

Deno.test("effectiveLaunchSettings() lets the file win over defaults, and nothing else", () => {
  const file = { browser: { launchOptions: { headless: false, chromiumSandbox: true } } };
  const settings = browserSettings();
  const byDefault = effectiveLaunchSettings(settings, DEFAULTS, file);
  assert.equal(byDefault.headless, false);
  assert.equal(byDefault.sandbox, true);
  const explicit = { headless: { kind: "flag" }, sandbox: { kind: "env" } };
  assert.deepEqual(effectiveLaunchSettings(settings, explicit, file), settings);
  assert.deepEqual(effectiveLaunchSettings(settings, DEFAULTS, {}), settings);
});

Deno.test("upstreamConfig() takes --no-sandbox out when the file wants the sandbox", () => {
  const userConfig = { browser: { launchOptions: { chromiumSandbox: true } } };
  const settings = effectiveLaunchSettings(browserSettings(), DEFAULTS, userConfig);
  const config = upstreamConfig({ settings, plan: CLOAK, userConfig, initPages: [] });
  assert.deepEqual(valueAt(config, "browser.launchOptions.args"), [
    "--fingerprint=1",
    "--fingerprint-platform=windows",
  ]);
  assert.equal(valueAt(config, "browser.launchOptions.chromiumSandbox"), true);
});

Deno.test("withoutServer() says whether there was something to drop", () => {
  assert.deepEqual(withoutServer({ server: { port: 1 }, codegen: "none" }), {
    config: { codegen: "none" },
    dropped: true,
  });
  assert.deepEqual(withoutServer({}), { config: {}, dropped: false });
});
