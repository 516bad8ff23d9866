import assert from "node:assert/strict";
import { inFile, refusals, settle } from "./settle.ts";

Deno.test("judgeBrowserChoice() refuses browsers that no Chromium stands in for, from every source", async () => {
  for (const browser of ["firefox", "webkit", "moz-firefox", "moz-firefox-nightly"]) {
    const situations = [
      { flags: [{ flag: "--browser", value: browser }] },
      { flags: [{ flag: "--browser", value: browser }, { flag: "--browser-engine", value: "auto" }] },
      { env: { PLAYWRIGHT_MCP_BROWSER: browser } },
      inFile({ upstream: { browser } }),
    ];
    for (const situation of situations) {
      assert.match((await refusals(situation)).join(), /--browser-engine playwright/);
    }
  }
});

Deno.test("judgeBrowserChoice() lets Playwright's engine have any browser", async () => {
  const { settings, notices } = await settle({
    flags: [{ flag: "--browser", value: "firefox" }, { flag: "--browser-engine", value: "playwright" }],
  });
  assert.deepEqual(settings.upstreamArgs, [{ flag: "--browser", values: ["firefox"] }]);
  assert.deepEqual(notices, []);
});

Deno.test("judgeBrowserChoice() notes that the name of a Chromium has no effect", async () => {
  for (const browser of ["chrome", "msedge", "chromium", "chrome-beta"]) {
    const { notices } = await settle({ flags: [{ flag: "--browser", value: browser }] });
    assert.equal(notices.length, 1);
    assert.ok(notices[0]?.includes(browser));
  }
});
