import assert from "node:assert/strict";
import { upstreamChoice, usesExtension } from "../../src/browser/upstream_choice.ts";
import type { UpstreamSources } from "../../src/browser/upstream_option.ts";

const NONE: UpstreamSources = { upstreamArgs: [], env: {}, config: {} };

function flag(name: string, ...values: string[]): UpstreamSources {
  return { ...NONE, upstreamArgs: [{ flag: name, values }] };
}

Deno.test("upstreamChoice() is none where the user has not chosen", () => {
  assert.equal(upstreamChoice(NONE), undefined);
  assert.equal(upstreamChoice(flag("--browser", "chrome")), undefined);
  assert.equal(upstreamChoice({ ...NONE, env: { PLAYWRIGHT_MCP_EXTENSION: "false" } }), undefined);
});

Deno.test("upstreamChoice() takes an executable from flag, environment or file", () => {
  const expected = { kind: "executable", executablePath: "/opt/chrome" };
  for (
    const [sources, origin] of [
      [flag("--executable-path", "/opt/chrome"), "--executable-path"],
      [{ ...NONE, env: { PLAYWRIGHT_MCP_EXECUTABLE_PATH: "/opt/chrome" } }, "PLAYWRIGHT_MCP_EXECUTABLE_PATH"],
      [
        { ...NONE, config: { browser: { launchOptions: { executablePath: "/opt/chrome" } } } },
        '"browser.launchOptions.executablePath" of the configuration file',
      ],
    ] as const
  ) assert.deepEqual(upstreamChoice(sources), { ...expected, origin });
});

Deno.test("upstreamChoice() takes an endpoint or the extension for a browser that runs already", () => {
  for (
    const sources of [
      flag("--cdp-endpoint", "http://localhost:9222"),
      { ...NONE, env: { PLAYWRIGHT_MCP_CDP_ENDPOINT: "http://localhost:9222" } },
      { ...NONE, config: { browser: { cdpEndpoint: "http://localhost:9222" } } },
      flag("--endpoint", "ws://localhost:1"),
      { ...NONE, config: { browser: { remoteEndpoint: { endpoint: "ws://localhost:1" } } } },
      flag("--extension"),
      { ...NONE, env: { PLAYWRIGHT_MCP_EXTENSION: "1" } },
      { ...NONE, config: { extension: true } },
    ]
  ) assert.equal(upstreamChoice(sources)?.kind, "attach", JSON.stringify(sources));
});

Deno.test("upstreamChoice() knows browsers that no Chromium stands in for", () => {
  for (const name of ["firefox", "webkit", "moz-firefox-beta"]) {
    assert.equal(upstreamChoice(flag("--browser", name))?.kind, "other_browser");
  }
  const config = { browser: { browserName: "firefox", launchOptions: { executablePath: "/opt/firefox" } } };
  assert.deepEqual(upstreamChoice({ ...NONE, config }), {
    kind: "other_browser",
    origin: '"browser.browserName" of the configuration file "firefox"',
    executablePath: "/opt/firefox",
  });
});

Deno.test("usesExtension() reads all three sources", () => {
  assert.equal(usesExtension(NONE), false);
  assert.equal(usesExtension(flag("--extension")), true);
  assert.equal(usesExtension({ ...NONE, env: { PLAYWRIGHT_MCP_EXTENSION: "true" } }), true);
  assert.equal(usesExtension({ ...NONE, config: { extension: true } }), true);
});
