import assert from "node:assert/strict";
import { checkLaunchConflicts, type ConflictSettings } from "../../src/browser/launch_conflicts.ts";
import type { UpstreamSources } from "../../src/browser/upstream_option.ts";
import { AppError } from "../../src/errors.ts";
import { browserSettings } from "./test_settings.ts";

const NOTHING: UpstreamSources = { upstreamArgs: [], env: {}, config: {} };
const PLAIN: ConflictSettings = {
  ...browserSettings(),
  cdpEnabled: false,
  downloads: undefined,
  downloadMaxBytes: undefined,
};

function problems(settings: Partial<ConflictSettings>, sources: Partial<UpstreamSources>): string[] {
  try {
    checkLaunchConflicts({ ...PLAIN, ...settings }, { ...NOTHING, ...sources });
    return [];
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "usage");
    return error.message.split("\n");
  }
}

Deno.test("checkLaunchConflicts() judges what is in effect, wherever it stands", () => {
  const config = { browser: { userDataDir: "/p" } };
  assert.deepEqual(problems({}, { upstreamArgs: [{ flag: "--isolated", values: [] }], config }), [
    'Cannot use --isolated together with "browser.userDataDir" of the configuration file: an isolated browser keeps ' +
    "its profile in memory. Leave one of them out",
  ]);
  assert.deepEqual(problems({}, { env: { PLAYWRIGHT_MCP_ISOLATED: "false" }, config }), []);
  const phone = { PLAYWRIGHT_MCP_MOBILE: "true", PLAYWRIGHT_MCP_DEVICE: "iPhone 15" };
  assert.match(
    problems({}, { env: phone })[0] ?? "",
    /PLAYWRIGHT_MCP_MOBILE together with PLAYWRIGHT_MCP_DEVICE/,
  );
  const attached = { PLAYWRIGHT_MCP_DEVICE: "iPhone 15", PLAYWRIGHT_MCP_CDP_ENDPOINT: "http://127.0.0.1:9" };
  assert.match(
    problems({}, { env: attached })[0] ?? "",
    /PLAYWRIGHT_MCP_DEVICE together with PLAYWRIGHT_MCP_CDP/,
  );
});

Deno.test("checkLaunchConflicts() names everything that does not go with Playwright's extension at once", () => {
  const extension = [{ flag: "--extension", values: [] }];
  const [problem, ...others] = problems(
    {
      cdpEnabled: true,
      geoipProxyMatch: true,
      contextOptions: { offline: true },
      extensionPaths: ["/e"],
      extraArgs: ["--proxy-server=http://p"],
    },
    {
      upstreamArgs: extension,
      env: { PLAYWRIGHT_MCP_ISOLATED: "true", PLAYWRIGHT_MCP_CDP_ENDPOINT: "http://h" },
      config: { browser: { remoteEndpoint: "ws://h" } },
    },
  );
  assert.equal(
    problem,
    "Cannot use Playwright's extension together with managed CDP, PLAYWRIGHT_MCP_CDP_ENDPOINT, " +
      '"browser.remoteEndpoint" of the configuration file, PLAYWRIGHT_MCP_ISOLATED, a proxy, --geoip-proxy-match, ' +
      "context options, --extension-paths: it attaches to a browser that runs already. Leave out one or the other",
  );
  assert.deepEqual(others, []);
});

Deno.test("checkLaunchConflicts() lets settings without effect stand beside Playwright's extension", () => {
  const sources = {
    upstreamArgs: [{ flag: "--extension", values: [] }],
    env: { PLAYWRIGHT_MCP_ISOLATED: "false" },
  };
  const settings = { extraArgs: ["--lang=de"], contextOptions: {}, headless: true, stealthArgs: false };
  assert.deepEqual(problems(settings, sources), []);
});

Deno.test("checkLaunchConflicts() refuses rules for downloads that a browser which runs already does not keep", () => {
  const attached = { PLAYWRIGHT_MCP_CDP_ENDPOINT: "http://127.0.0.1:9" };
  const rules = { downloads: "deny", downloadMaxBytes: 5 } as const;
  assert.deepEqual(problems(rules, { env: attached }), [
    "Cannot use --downloads deny, --download-max-bytes together with PLAYWRIGHT_MCP_CDP_ENDPOINT: a browser that runs " +
    "already keeps its own rules for downloads. Leave out one or the other, or add --isolated",
  ]);
  assert.deepEqual(problems(rules, { env: { ...attached, PLAYWRIGHT_MCP_ISOLATED: "true" } }), []);
  assert.deepEqual(problems({ downloads: "session-dir" }, { env: attached }), []);
  assert.deepEqual(problems(rules, {}), []);
});
