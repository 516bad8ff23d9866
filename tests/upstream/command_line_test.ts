import assert from "node:assert/strict";
import { valueAt } from "../../src/browser/upstream_option.ts";
import { join } from "node:path";
import { tools } from "playwright-core/lib/coreBundle";
import type { BrowserPlan } from "../../src/browser/browser_plan.ts";
import { AppError } from "../../src/errors.ts";
import {
  buildUpstreamCommand,
  type CommandSettings,
  type UpstreamCommandOptions,
} from "../../src/upstream/command_line.ts";
import type { UpstreamCommand } from "../../src/upstream/process.ts";
import { browserSettings, collectingLog } from "../browser/test_settings.ts";

const CLOAK: BrowserPlan = {
  engine: "cloak",
  executablePath: "/cache/chrome",
  source: "cloakbrowser",
  stealthArgs: ["--fingerprint=1"],
};
const PLAYWRIGHT: BrowserPlan = { engine: "playwright", executablePath: undefined, source: "upstream" };
const DEFAULTS = { headless: { kind: "default" }, sandbox: { kind: "default" } };
const SELF = { command: "/opt/cloakbrowser-mcp", args: ["before"] };
const MARKER = "11111111-1111-4111-8111-111111111111";

interface Scene {
  readonly directory: string;
  readonly lines: readonly string[];
  build(
    changes?: Partial<CommandSettings>,
    options?: Partial<Pick<UpstreamCommandOptions, "env" | "plan" | "origins" | "managedCdp">>,
  ): Promise<UpstreamCommand>;
  /** Makes a file and gives its path. */
  write(name: string, text: string): Promise<string>;
}

async function withScene(run: (scene: Scene) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  const { log, lines } = collectingLog();
  const write = async (name: string, text: string): Promise<string> => {
    await Deno.writeTextFile(join(directory, name), text);
    return join(directory, name);
  };
  const build: Scene["build"] = (changes = {}, options = {}) =>
    buildUpstreamCommand({
      settings: {
        ...browserSettings(changes),
        upstreamConfigPath: undefined,
        upstreamCommand: undefined,
        initPages: [],
        humanize: false,
        humanPreset: "default",
        consoleFallback: false,
        downloads: undefined,
        downloadMaxBytes: undefined,
        ...changes,
      },
      origins: DEFAULTS,
      env: {},
      plan: CLOAK,
      privateDirectory: directory,
      self: SELF,
      marker: MARKER,
      log,
      ...options,
    });
  try {
    await run({ directory, lines, build, write });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function configPath(command: UpstreamCommand): string {
  return command.args[command.args.indexOf("--config") + 1] ?? "";
}

async function writtenConfig(command: UpstreamCommand): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(configPath(command)));
}

/** What upstream makes of file and environment together. */
// deno-lint-ignore no-explicit-any -- upstream ships no types for this
async function upstreamResolves(command: UpstreamCommand): Promise<any> {
  return await tools.resolveCLIConfigForMCP({ config: configPath(command) }, command.env);
}

Deno.test("buildUpstreamCommand() starts this program's hidden command with a private configuration file", () =>
  withScene(async ({ directory, build }) => {
    const command = await build({ upstreamArgs: [{ flag: "--caps", values: ["pdf"] }] });
    const path = join(directory, "playwright-mcp.config.json");
    assert.equal(command.command, SELF.command);
    assert.deepEqual(command.args, ["before", "upstream", "--config", path, "--caps=pdf"]);
    if (Deno.build.os !== "windows") assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    assert.deepEqual(command.env, {
      PLAYWRIGHT_MCP_HEADLESS: "true",
      PLAYWRIGHT_MCP_SANDBOX: "false",
      CLOAKBROWSER_AUTO_UPDATE: "false",
      CLOAKBROWSER_MCP_PRIVATE_TMP: join(directory, "t"),
      CLOAKBROWSER_MCP_GENERATION: MARKER,
    });
  }));

Deno.test("buildUpstreamCommand() leaves TMPDIR as it is", () =>
  withScene(async ({ build }) => {
    assert.equal((await build({}, { env: { TMPDIR: "/var/tmp" } })).env["TMPDIR"], "/var/tmp");
  }));

Deno.test("buildUpstreamCommand() forwards upstream's flags in order, and none of its HTTP server", () =>
  withScene(async ({ build, lines }) => {
    const { args } = await build({
      upstreamArgs: [
        { flag: "--isolated", values: [] },
        { flag: "--port", values: ["8931"] },
        { flag: "--init-script", values: ["a.js", "b.js"] },
        { flag: "--user-agent", values: ["-dash"] },
      ],
    });
    assert.deepEqual(args.slice(4), [
      "--isolated",
      "--init-script=a.js",
      "--init-script=b.js",
      "--user-agent=-dash",
    ]);
    assert.match(lines.join("\n"), /WARN .*HTTP server.*--port/);
  }));

Deno.test("buildUpstreamCommand() gives a replaced upstream its own arguments and the file by environment", () =>
  withScene(async ({ directory, build, lines }) => {
    const { command, args, env } = await build({
      upstreamCommand: ["/usr/bin/env", "server", "--flag"],
      upstreamArgs: [{ flag: "--caps", values: ["pdf"] }],
    }, { env: { PLAYWRIGHT_MCP_CONFIG: "/theirs.json", PATH: "/bin" } });
    assert.equal(command, "/usr/bin/env");
    assert.deepEqual(args, ["server", "--flag"]);
    assert.equal(env["PLAYWRIGHT_MCP_CONFIG"], join(directory, "playwright-mcp.config.json"));
    assert.equal(env["CLOAKBROWSER_MCP_GENERATION"], MARKER);
    assert.equal(env["CLOAKBROWSER_MCP_PRIVATE_TMP"], undefined);
    assert.match(lines.join("\n"), /WARN .*do not reach a replaced upstream.*--caps/);
  }));

Deno.test("buildUpstreamCommand() makes upstream resolve the plan, whatever its environment says", () =>
  withScene(async ({ build }) => {
    const env = {
      PLAYWRIGHT_MCP_HEADLESS: "false",
      PLAYWRIGHT_MCP_SANDBOX: "true",
      PLAYWRIGHT_MCP_CAPS: "pdf",
    };
    const config = await upstreamResolves(await build({}, { env }));
    assert.equal(config.browser.browserName, "chromium");
    assert.equal(config.browser.launchOptions.executablePath, "/cache/chrome");
    assert.equal(config.browser.launchOptions.headless, true);
    assert.equal(config.browser.launchOptions.chromiumSandbox, false);
    assert.ok(config.browser.launchOptions.args.includes("--fingerprint=1"));
    assert.deepEqual(config.capabilities, ["pdf"]);
  }));

Deno.test("buildUpstreamCommand() merges the user's configuration, which beats defaults and not flags", () =>
  withScene(async ({ build, write, lines }) => {
    const upstreamConfigPath = await write(
      "user.json",
      JSON.stringify({
        server: { port: 8931 },
        outputDir: "out",
        browser: { launchOptions: { headless: false, chromiumSandbox: true, args: ["--lang=de"] } },
      }),
    );
    const byDefault = await upstreamResolves(await build({ upstreamConfigPath }));
    assert.equal(byDefault.browser.launchOptions.headless, false);
    assert.equal(byDefault.browser.launchOptions.chromiumSandbox, true);
    assert.ok(byDefault.browser.launchOptions.args.includes("--lang=de"));
    assert.ok(!byDefault.browser.launchOptions.args.includes("--no-sandbox"));
    assert.equal(byDefault.outputDir, "out");
    assert.equal(byDefault.server.port, undefined);
    assert.match(lines.join("\n"), /WARN .*"server".* is ignored/);

    const origins = { headless: { kind: "flag" }, sandbox: { kind: "flag" } };
    const explicit = await upstreamResolves(await build({ upstreamConfigPath }, { origins }));
    assert.equal(explicit.browser.launchOptions.headless, true);
    assert.equal(explicit.browser.launchOptions.chromiumSandbox, false);
  }));

Deno.test("buildUpstreamCommand() checks init pages of ours and of the file", () =>
  withScene(async ({ directory, build, write }) => {
    const page = await write(
      "page.ts",
      "export default async ({ page }: { page: unknown }) => { void page; };\n",
    );
    const env = { PLAYWRIGHT_MCP_INIT_PAGE: "elsewhere.ts" };
    const ours = await upstreamResolves(await build({ initPages: [page] }, { env }));
    assert.equal(ours.browser.initPage.length, 2, "with the bridge's own");
    const upstreamConfigPath = await write("user.json", '{"browser": {"initPage": ["page.ts"]}}');
    const theirs = await upstreamResolves(await build({ upstreamConfigPath }));
    assert.equal(theirs.browser.initPage.length, 2);
    await assert.rejects(
      build({ initPages: [join(directory, "none.ts")] }),
      (error) => error instanceof AppError && error.code === "usage",
    );
  }));

Deno.test("buildUpstreamCommand() chooses Playwright's Chromium where nobody has chosen", () =>
  withScene(async ({ build, write }) => {
    const browser = async (
      changes: Partial<CommandSettings>,
      env: Record<string, string> = {},
      plan: BrowserPlan = PLAYWRIGHT,
    ): Promise<string | undefined> => (await build(changes, { env, plan })).env["PLAYWRIGHT_MCP_BROWSER"];
    assert.equal(await browser({}), "chromium");
    assert.equal(await browser({}, { PLAYWRIGHT_MCP_BROWSER: "msedge" }), "msedge");
    assert.equal(await browser({ upstreamArgs: [{ flag: "--browser", values: ["firefox"] }] }), undefined);
    const upstreamConfigPath = await write("user.json", '{"browser": {"browserName": "webkit"}}');
    assert.equal(await browser({ upstreamConfigPath }), undefined);
    assert.equal(await browser({}, {}, { ...PLAYWRIGHT, attaches: true }), undefined);
    assert.equal(await browser({}, {}, CLOAK), undefined);
  }));

Deno.test("buildUpstreamCommand() forces nothing on a browser that upstream attaches to", () =>
  withScene(async ({ build, directory }) => {
    const plan: BrowserPlan = { ...PLAYWRIGHT, attaches: true };
    const env = { PLAYWRIGHT_MCP_EXTENSION: "true", PLAYWRIGHT_MCP_EXTENSION_TOKEN: "token" };
    const command = await build({}, { plan, env });
    const initPage = [join(directory, "session.cloak-page")];
    assert.deepEqual(await writtenConfig(command), { browser: { initPage } });
    assert.equal(command.env["PLAYWRIGHT_MCP_HEADLESS"], undefined);
    assert.equal(command.env["PLAYWRIGHT_MCP_SANDBOX"], undefined);
    assert.equal(command.env["PLAYWRIGHT_MCP_EXTENSION_TOKEN"], "token");
  }));

Deno.test("buildUpstreamCommand() gives the licence key to CloakBrowser alone, and never to a command line", () =>
  withScene(async ({ build }) => {
    const settings = { licenseKey: "key-1", cacheDir: "/cache" };
    const env = { CLOAKBROWSER_LICENSE_KEY: "key-0" };
    const cloak = await build(settings, { env });
    assert.equal(cloak.env["CLOAKBROWSER_LICENSE_KEY"], "key-1");
    assert.equal(cloak.env["CLOAKBROWSER_CACHE_DIR"], "/cache");
    assert.doesNotMatch(cloak.args.join(" ") + JSON.stringify(await writtenConfig(cloak)), /key-1/);
    const other = await build(settings, { env, plan: PLAYWRIGHT });
    assert.equal(other.env["CLOAKBROWSER_LICENSE_KEY"], undefined);
  }));

Deno.test("buildUpstreamCommand() names a private directory that cannot be written", () =>
  withScene(async ({ directory, build }) => {
    await Deno.mkdir(join(directory, "playwright-mcp.config.json"));
    await assert.rejects(
      build(),
      (error) => error instanceof AppError && error.code === "usage" && error.message.includes(directory),
    );
  }));

Deno.test("buildUpstreamCommand() moves the proxy into the private file, whole, and out of everything else", () =>
  withScene(async ({ build, write }) => {
    const upstreamConfigPath = await write(
      "mcp.json",
      JSON.stringify({
        browser: {
          launchOptions: {
            proxy: { server: "http://theirs", bypass: "a" },
            args: ["--proxy-server=http://x"],
          },
        },
      }),
    );
    const command = await build({
      upstreamConfigPath,
      extraArgs: ["--proxy-server=http://y", "--proxy-bypass-list=z", "--lang=de"],
      upstreamArgs: [{ flag: "--caps", values: ["pdf"] }, {
        flag: "--proxy-server",
        values: ["ann:pw@ours:1"],
      }],
    }, { env: { PLAYWRIGHT_MCP_PROXY_SERVER: "http://bob:word@env", PLAYWRIGHT_MCP_PROXY_BYPASS: "b" } });
    assert.deepEqual(command.args.slice(4), ["--caps=pdf"]);
    assert.doesNotMatch(JSON.stringify(command), /PROXY|pw@|word@/);
    const { browser } = await upstreamResolves(command);
    // The bypass variable is an option too, and the strongest one there is.
    const proxy = { server: "http://ours:1", username: "ann", password: "pw", bypass: "b" };
    assert.deepEqual(browser.launchOptions.proxy, proxy);
    assert.deepEqual(browser.contextOptions.proxy, proxy);
    assert.deepEqual(
      browser.launchOptions.args.filter((argument: string) => argument.startsWith("--proxy")),
      [],
    );
    assert.ok(browser.launchOptions.args.includes("--lang=de"));
  }));
Deno.test("buildUpstreamCommand() adds our init page after the user's, which does nothing to the pages of another engine", async () => {
  await withScene(async ({ build, write, directory, lines }) => {
    const mine = await write("mine.js", "module.exports = { default: () => {} };");
    const features = { humanize: true, consoleFallback: true, humanPreset: "careful" as const };
    const ours = join(directory, "session.cloak-page");
    const pages = async (...given: Parameters<typeof build>): Promise<unknown> =>
      (await writtenConfig(await build(...given)) as { browser: { initPage?: unknown } }).browser.initPage;
    assert.deepEqual(await pages({ ...features, initPages: [mine] }), [mine, ours]);
    const written = async (): Promise<unknown> => JSON.parse(await Deno.readTextFile(ours));
    const downloads = { mode: "keep" };
    assert.deepEqual(await written(), { consoleFallback: true, downloads, humanPreset: "careful" });
    assert.deepEqual(await pages({ ...features, humanize: false }), [ours]);
    assert.deepEqual(await written(), { consoleFallback: true, downloads });
    assert.deepEqual(await pages({ humanPreset: "careful" }), [ours]);
    assert.deepEqual(await written(), { consoleFallback: false, downloads });
    assert.deepEqual(lines, []);
    assert.deepEqual(await pages(features, { plan: PLAYWRIGHT }), [ours]);
    assert.deepEqual(await written(), { consoleFallback: false, downloads });
    assert.match(lines.join(), /humanized input has no effect: the browser is left to Playwright MCP/);
  });
});

Deno.test("buildUpstreamCommand() lets the browser itself refuse downloads that are denied, whatever else is said", () =>
  withScene(async ({ build, directory }) => {
    const contextOptions = { acceptDownloads: true, locale: "de-DE" };
    const config = await writtenConfig(await build({ downloads: "deny", contextOptions }));
    assert.deepEqual(valueAt(config, "browser.contextOptions"), { acceptDownloads: false, locale: "de-DE" });
    const page = JSON.parse(await Deno.readTextFile(join(directory, "session.cloak-page")));
    assert.deepEqual(page.downloads, { mode: "deny" });
  }));

Deno.test("buildUpstreamCommand() has downloads arrive where their size can be seen, where there is a limit", () =>
  withScene(async ({ build, directory, write }) => {
    const arrivals = async (...given: Parameters<typeof build>): Promise<unknown[]> => {
      const config = await writtenConfig(await build(...given));
      const page = JSON.parse(await Deno.readTextFile(join(directory, "session.cloak-page")));
      return [valueAt(config, "browser.launchOptions.downloadsPath"), page.downloads.arrivals];
    };
    const limited = { downloadMaxBytes: 10 };
    const ours = join(directory, "downloads");
    assert.deepEqual(await arrivals(), [undefined, undefined]);
    assert.deepEqual(await arrivals(limited), [ours, ours]);
    assert.deepEqual(await arrivals(limited, { plan: { ...PLAYWRIGHT, attaches: true } }), [
      undefined,
      undefined,
    ]);
    const json = '{"browser": {"launchOptions": {"downloadsPath": "/theirs"}}}';
    const upstreamConfigPath = await write("user.json", json);
    assert.deepEqual(await arrivals({ ...limited, upstreamConfigPath }), ["/theirs", "/theirs"]);
  }));
