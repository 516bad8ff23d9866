import assert from "node:assert/strict";
import { join } from "node:path";
import type { BinaryInfo } from "../../src/browser/browser_plan.ts";
import type { BrowserSettings, LaunchSettings } from "../../src/browser/browser_settings.ts";
import type { CloakBrowserPackage } from "../../src/browser/cloakbrowser_package.ts";
import {
  type BrowserResolver,
  createBrowserResolver,
  type EnsureProgress,
} from "../../src/browser/resolver.ts";
import { AppError } from "../../src/errors.ts";
import { browserSettings, collectingLog } from "./test_settings.ts";

interface FakePackage extends CloakBrowserPackage {
  readonly downloads: number;
  readonly drawn: number;
}

/** A cache directory that cannot be made. `executable` is there already where it is given; else `download` decides. */
function fakePackage(
  options: { executable?: string; download?: () => Promise<string>; info?: () => BinaryInfo } = {},
): FakePackage {
  let downloads = 0;
  let drawn = 0;
  const info: BinaryInfo = {
    version: "1.2.3.4",
    bundledVersion: "1.2.3.4",
    platform: "linux-x64",
    tier: "free",
    binaryPath: options.executable ?? "/dev/null/chromium-1.2.3.4/chrome",
    installed: options.executable !== undefined,
    cacheDir: "/dev/null/chromium-1.2.3.4",
    downloadUrl: "https://cloakbrowser.test/archive",
  };
  return {
    get downloads() {
      return downloads;
    },
    get drawn() {
      return drawn;
    },
    info: () => Promise.resolve().then(() => options.info?.() ?? info),
    stealthArgs: () => Promise.resolve([`--fingerprint=${++drawn}`]),
    ensure: async (onLine): Promise<string> => {
      if (options.executable !== undefined) return options.executable;
      downloads++;
      onLine({ text: "Downloading from https://cloakbrowser.test/archive", method: "log", isMessage: true });
      onLine({ text: "Download progress: 40% (80/200 MB)", method: "log", isMessage: true });
      onLine({ text: "Star us", method: "error", isMessage: false });
      return await (options.download?.() ?? Promise.reject(new Error("Download failed: HTTP 404 Not Found")));
    },
  };
}

interface Scene {
  readonly resolver: BrowserResolver;
  readonly cloakbrowser: FakePackage;
  readonly lines: readonly string[];
}

function scene(
  changes: Partial<BrowserSettings & LaunchSettings> = {},
  options: Parameters<typeof fakePackage>[0] & {
    chrome?: string;
    env?: Record<string, string>;
    config?: Record<string, unknown>;
  } = {},
): Scene {
  const { log, lines } = collectingLog();
  const cloakbrowser = fakePackage(options);
  const resolver = createBrowserResolver(browserSettings(changes), options.env ?? {}, log, {
    readUserConfig: () => Promise.resolve(options.config ?? {}),
    cloakbrowser,
    findChrome: () => Promise.resolve(options.chrome),
  });
  return { resolver, cloakbrowser, lines };
}

const NO_PROGRESS = (): void => {};
const THIS_PROGRAM = Deno.execPath();

Deno.test("plan() names the CloakBrowser that will be there, and keeps its fingerprint", async () => {
  const { resolver, cloakbrowser } = scene();
  const plan = await resolver.plan();
  assert.deepEqual(plan, {
    engine: "cloak",
    executablePath: "/dev/null/chromium-1.2.3.4/chrome",
    source: "cloakbrowser",
    stealthArgs: ["--fingerprint=1"],
  });
  assert.deepEqual(await resolver.plan(), plan);
  assert.equal(cloakbrowser.drawn, 1);
  assert.equal(cloakbrowser.downloads, 0);
});

Deno.test("plan() does not ask the package for arguments that are not wanted", async () => {
  const { resolver, cloakbrowser } = scene({ stealthArgs: false, binaryPath: THIS_PROGRAM });
  assert.deepEqual((await resolver.plan()).stealthArgs, []);
  assert.equal(cloakbrowser.drawn, 0);
});

Deno.test("ensure() uses the binary that the user named and downloads nothing", async () => {
  for (const browserEngine of ["cloak", "auto"] as const) {
    const { resolver, cloakbrowser } = scene({ browserEngine, binaryPath: THIS_PROGRAM });
    const plan = await resolver.ensure(NO_PROGRESS);
    assert.deepEqual(plan, await resolver.plan());
    assert.equal(plan.engine, "cloak");
    assert.equal(plan.source, "binary_path");
    assert.equal(plan.executablePath, THIS_PROGRAM);
    assert.equal(cloakbrowser.downloads, 0);
    assert.equal((await resolver.info()).executablePath, THIS_PROGRAM);
  }
});

Deno.test("ensure() refuses a named binary that is gone or cannot be run", async () => {
  const { resolver } = scene({ binaryPath: "/nowhere/chrome" });
  await assert.rejects(resolver.ensure(NO_PROGRESS), (error) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "browser_unavailable");
    assert.match(error.message, /"\/nowhere\/chrome"/);
    return true;
  });
});

Deno.test("ensure() leaves the browser to Playwright with that engine", async () => {
  const { resolver, cloakbrowser } = scene({ browserEngine: "playwright", binaryPath: THIS_PROGRAM });
  assert.deepEqual(await resolver.ensure(NO_PROGRESS), {
    engine: "playwright",
    executablePath: undefined,
    source: "upstream",
  });
  const info = await resolver.info();
  assert.equal(info.binary, null);
  assert.equal(info.executablePath, null);
  assert.match(info.note ?? "", /is not used with this engine/);
  assert.equal(cloakbrowser.downloads + cloakbrowser.drawn, 0);
});

Deno.test("ensure() downloads nothing for a browser that upstream attaches to", async () => {
  const { resolver, cloakbrowser } = scene({}, {
    env: { PLAYWRIGHT_MCP_CDP_ENDPOINT: "http://localhost:9222" },
  });
  assert.deepEqual(await resolver.ensure(NO_PROGRESS), {
    engine: "playwright",
    executablePath: undefined,
    source: "upstream",
    attaches: true,
  });
  assert.equal(cloakbrowser.downloads, 0);
  assert.match((await resolver.info()).note ?? "", /attaches .* PLAYWRIGHT_MCP_CDP_ENDPOINT/);
});

Deno.test("ensure() takes the user's executable for a CloakBrowser in the engine cloak alone", async () => {
  const upstreamArgs = [{ flag: "--executable-path", values: ["/opt/chrome"] }];
  const cloak = scene({ upstreamArgs });
  const plan = await cloak.resolver.ensure(NO_PROGRESS);
  assert.equal(plan.engine, "cloak");
  assert.equal(plan.executablePath, undefined);
  assert.equal(plan.source, "upstream");
  assert.equal((await cloak.resolver.info()).executablePath, "/opt/chrome");
  assert.equal((await scene({ browserEngine: "auto", upstreamArgs }).resolver.plan()).engine, "playwright");
  assert.equal(cloak.cloakbrowser.downloads, 0);
});

Deno.test("plan() refuses a Firefox of the configuration file where a Chromium was asked for", async () => {
  const config = { browser: { browserName: "firefox" } };
  await assert.rejects(
    scene({}, { config }).resolver.plan(),
    (error) => error instanceof AppError && error.code === "usage" && /"firefox"/.test(error.message),
  );
  assert.equal((await scene({ browserEngine: "playwright" }, { config }).resolver.plan()).source, "upstream");
});

Deno.test("ensure() shares one download and tells everybody how far it is", async () => {
  const gate = Promise.withResolvers<string>();
  const { resolver, cloakbrowser } = scene({}, { download: () => gate.promise });
  const heard: EnsureProgress[][] = [[], [], []];
  const started = Promise.withResolvers<void>();
  const first = resolver.ensure((progress) => {
    heard[0]?.push(progress);
    if (progress.percent !== undefined) started.resolve();
  });
  const second = resolver.ensure(() => {
    throw new Error("a listener must not stop the download");
  });
  await started.promise;
  const late = resolver.ensure((progress) => heard[2]?.push(progress));
  gate.resolve(THIS_PROGRAM);
  const plans = await Promise.all([first, second, late]);
  assert.equal(cloakbrowser.downloads, 1);
  for (const plan of plans) assert.equal(plan.executablePath, THIS_PROGRAM);
  assert.deepEqual(heard[0], [
    { message: "Downloading from https://cloakbrowser.test/archive" },
    { message: "Download progress: 40% (80/200 MB)", percent: 40 },
  ]);
  assert.deepEqual(heard[2], [{ message: "Download progress: 40% (80/200 MB)", percent: 40 }]);
  await resolver.ensure(NO_PROGRESS);
  assert.equal(cloakbrowser.downloads, 1);
});

Deno.test("ensure() gives every waiting call the same failure, and the next call a new try", async () => {
  let tries = 0;
  const { resolver } = scene({}, {
    download: () =>
      ++tries === 1 ? Promise.reject(new TypeError("fetch failed")) : Promise.resolve(THIS_PROGRAM),
  });
  const failures = await Promise.allSettled([resolver.ensure(NO_PROGRESS), resolver.ensure(NO_PROGRESS)]);
  for (const failure of failures) {
    assert.equal(failure.status, "rejected");
    assert.ok(failure.reason instanceof AppError && failure.reason.code === "browser_unavailable");
  }
  assert.equal((await resolver.ensure(NO_PROGRESS)).executablePath, THIS_PROGRAM);
});

Deno.test("ensure() downloads again when the browser was removed meanwhile", async () => {
  const directory = await Deno.makeTempDir();
  const path = join(directory, "chrome");
  const download = async (): Promise<string> => {
    await Deno.writeTextFile(path, "#!/bin/sh\n", { mode: 0o755 });
    return path;
  };
  const { resolver, cloakbrowser } = scene({}, { download });
  await resolver.ensure(NO_PROGRESS);
  await Deno.remove(path);
  await resolver.ensure(NO_PROGRESS);
  assert.equal(cloakbrowser.downloads, 2);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("ensure() never runs anything but CloakBrowser in the engine cloak", async () => {
  const { resolver } = scene({}, { chrome: THIS_PROGRAM });
  await assert.rejects(resolver.ensure(NO_PROGRESS), AppError);
  assert.equal((await resolver.plan()).source, "cloakbrowser");
});

Deno.test("ensure() falls back in the engine auto, once and for all, with one warning", async () => {
  const { resolver, cloakbrowser, lines } = scene({ browserEngine: "auto" }, { chrome: THIS_PROGRAM });
  assert.equal((await resolver.plan()).source, "cloakbrowser");
  const plan = await resolver.ensure(NO_PROGRESS);
  assert.deepEqual(plan, { engine: "playwright", executablePath: THIS_PROGRAM, source: "installed_chrome" });
  assert.deepEqual(await resolver.ensure(NO_PROGRESS), plan);
  assert.deepEqual(await resolver.plan(), plan);
  assert.equal(cloakbrowser.downloads, 1);
  assert.equal(lines.filter((line) => /WARN .*installed browser instead/.test(line)).length, 1);
  assert.match((await resolver.info()).note ?? "", /HTTP 404/);
});

Deno.test("ensure() does not fall back from a file that could not be verified, a full disk or a refused licence", async () => {
  for (
    const message of [
      "Checksum verification failed!",
      "ENOSPC: no space left",
      "license key is invalid or expired",
    ]
  ) {
    const { resolver } = scene({ browserEngine: "auto" }, {
      chrome: THIS_PROGRAM,
      download: () => Promise.reject(new Error(message)),
    });
    await assert.rejects(resolver.ensure(NO_PROGRESS), (error: Error) => error.message.includes(message));
    assert.equal((await resolver.plan()).source, "cloakbrowser");
  }
});

Deno.test("ensure() says so when the engine auto finds no Chrome either", async () => {
  const { resolver } = scene({ browserEngine: "auto" });
  await assert.rejects(
    resolver.ensure(NO_PROGRESS),
    /HTTP 404 Not Found\. No Chrome or Chromium is installed either/,
  );
});

Deno.test("plan() on a platform without CloakBrowser leaves nothing to upstream's choice", async () => {
  const info = (): BinaryInfo => {
    throw new Error("Unsupported platform: win32 arm64");
  };
  const cloak = scene({}, { info, chrome: THIS_PROGRAM }).resolver;
  const plan = await cloak.plan();
  assert.equal(plan.engine, "cloak");
  assert.equal(await Deno.stat(plan.executablePath ?? ".").then(() => true, () => false), false);
  await assert.rejects(
    cloak.ensure(NO_PROGRESS),
    /^AppError: Cannot get CloakBrowser for .*Unsupported platform/,
  );
  assert.equal((await cloak.info()).binary, null);
  const auto = scene({ browserEngine: "auto" }, { info, chrome: THIS_PROGRAM }).resolver;
  assert.equal((await auto.plan()).source, "installed_chrome");
});

Deno.test("info() tells a browser that is there from one that will be", async () => {
  const missing = await scene().resolver.info();
  assert.match(missing.note ?? "", /first browser call downloads it/);
  assert.equal(missing.binary?.installed, false);
  const there = await scene({}, { executable: THIS_PROGRAM }).resolver.info();
  assert.equal(there.note, undefined);
  assert.equal(there.executablePath, THIS_PROGRAM);
  assert.equal(there.outputDir, join(Deno.cwd(), ".playwright-mcp"));
});
