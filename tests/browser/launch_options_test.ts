import assert from "node:assert/strict";
import type { BrowserPlan } from "../../src/browser/browser_plan.ts";
import { launchOptions } from "../../src/browser/launch_options.ts";
import { browserSettings } from "./test_settings.ts";

const CLOAK: BrowserPlan = {
  engine: "cloak",
  executablePath: "/cache/chrome",
  source: "cloakbrowser",
  stealthArgs: ["--no-sandbox", "--fingerprint=12345", "--fingerprint-platform=windows"],
};
const PLAYWRIGHT: BrowserPlan = { engine: "playwright", executablePath: undefined, source: "upstream" };

Deno.test("launchOptions() launches CloakBrowser with its arguments and without two defaults of Playwright", () => {
  assert.deepEqual(launchOptions(browserSettings(), CLOAK), {
    executablePath: "/cache/chrome",
    headless: true,
    args: ["--fingerprint=12345", "--fingerprint-platform=windows", "--no-sandbox"],
    chromiumSandbox: false,
    ignoreDefaultArgs: ["--enable-automation", "--enable-unsafe-swiftshader"],
  });
});

Deno.test("launchOptions() leaves out stealth arguments and sandbox switch where they are off", () => {
  const { args, chromiumSandbox } = launchOptions(
    browserSettings({ stealthArgs: false, sandbox: true }),
    CLOAK,
  );
  assert.deepEqual(args, []);
  assert.equal(chromiumSandbox, true);
});

Deno.test("launchOptions() takes --no-sandbox out of the stealth arguments when the sandbox is wanted", () => {
  const { args } = launchOptions(browserSettings({ sandbox: true }), CLOAK);
  assert.deepEqual(args, ["--fingerprint=12345", "--fingerprint-platform=windows"]);
});

Deno.test("launchOptions() lets the user's argument replace the one with the same key, once", () => {
  const extraArgs = ["--fingerprint=7", "--lang=de", "--no-sandbox", "--lang=fr"];
  const { args } = launchOptions(browserSettings({ extraArgs }), CLOAK);
  assert.deepEqual(args, ["--fingerprint=7", "--fingerprint-platform=windows", "--no-sandbox", "--lang=fr"]);
});

Deno.test("launchOptions() gives the Playwright engine the user's arguments and nothing of CloakBrowser", () => {
  const settings = browserSettings({
    browserEngine: "playwright",
    extraArgs: ["--lang=de"],
    headless: false,
  });
  assert.deepEqual(launchOptions(settings, PLAYWRIGHT), { headless: false, args: ["--lang=de"] });
});

Deno.test("launchOptions() gives an installed Chrome the sandbox switch of the engine auto", () => {
  const plan: BrowserPlan = {
    engine: "playwright",
    executablePath: "/usr/bin/chromium",
    source: "installed_chrome",
  };
  assert.deepEqual(launchOptions(browserSettings({ browserEngine: "auto" }), plan), {
    executablePath: "/usr/bin/chromium",
    headless: true,
    args: [],
    chromiumSandbox: false,
  });
});
