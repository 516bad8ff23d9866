import assert from "node:assert/strict";
import type { BrowserPlan, BrowserResolver, BuiltLaunch } from "../../src/browser/browser_plan.ts";
import type { BrowserSettings, LaunchSettings } from "../../src/browser/browser_settings.ts";
import type { LaunchRequest } from "../../src/browser/launch_builder.ts";
import { shapedLaunch } from "../../src/browser/shaped_launch.ts";
import { AppError } from "../../src/errors.ts";
import { browserSettings, collectingLog } from "./test_settings.ts";

const CLOAK: BrowserPlan = { engine: "cloak", executablePath: "/chrome", source: "binary_path" };
const OTHER: BrowserPlan = { engine: "playwright", executablePath: undefined, source: "upstream" };
const PLACED: BuiltLaunch = { args: ["--lang=de-DE"], holdsProxy: false };
const NO_PROGRESS = (): void => {};

interface Scene {
  readonly resolver: BrowserResolver;
  readonly requests: LaunchRequest[];
  readonly lines: readonly string[];
  matches: number;
}

function scene(
  changes: Partial<BrowserSettings & LaunchSettings>,
  { plan = CLOAK, env = {}, match = () => Promise.resolve(PLACED) }: {
    plan?: BrowserPlan;
    env?: Record<string, string>;
    match?: () => Promise<BuiltLaunch>;
  } = {},
): Scene {
  const settings = browserSettings(changes);
  const { log, lines } = collectingLog();
  const inner: BrowserResolver = {
    plan: () => Promise.resolve(plan),
    ensure: () => Promise.resolve(plan),
    info: () => Promise.reject(new Error("not asked for")),
  };
  const made: Scene = {
    requests: [],
    lines,
    matches: 0,
    resolver: shapedLaunch(inner, {
      settings,
      sources: { upstreamArgs: settings.upstreamArgs, env, config: {} },
      build: (request) => {
        made.requests.push(request);
        return Promise.resolve({ args: [], holdsProxy: false });
      },
      matchPlace: () => {
        made.matches++;
        return match();
      },
      log,
    }),
  };
  return made;
}

const PROXY = { PLAYWRIGHT_MCP_PROXY_SERVER: "http://ann:pw@proxy:1" };

Deno.test("shapedLaunch() looks at the proxy before the first browser call only, and once", async () => {
  const gate = Promise.withResolvers<BuiltLaunch>();
  const it = scene({ geoipProxyMatch: true }, { env: PROXY, match: () => gate.promise });
  assert.deepEqual((await it.resolver.plan()).built, { args: [], holdsProxy: false });
  assert.equal(it.matches, 0);
  const messages: string[] = [];
  const both = [1, 2].map(() => it.resolver.ensure(({ message }) => messages.push(message)));
  gate.resolve(PLACED);
  for (const plan of await Promise.all(both)) assert.deepEqual(plan.built, PLACED);
  assert.deepEqual((await it.resolver.ensure(NO_PROGRESS)).built, PLACED);
  assert.equal(it.matches, 1);
  assert.equal(messages[0], "Finding out where the proxy comes out");
});

Deno.test("shapedLaunch() looks again after a failure", async () => {
  let fails = true;
  const it = scene({ geoipProxyMatch: true }, {
    env: PROXY,
    match: () => fails ? Promise.reject(new AppError("browser_unavailable", "no")) : Promise.resolve(PLACED),
  });
  await assert.rejects(it.resolver.ensure(NO_PROGRESS), /no/);
  fails = false;
  assert.deepEqual((await it.resolver.ensure(NO_PROGRESS)).built, PLACED);
});

Deno.test("shapedLaunch() looks at no proxy where nobody wants it or there is none, which is said once", async () => {
  const unwanted = scene({}, { env: PROXY });
  await unwanted.resolver.ensure(NO_PROGRESS);
  const without = scene({ geoipProxyMatch: true });
  await without.resolver.plan();
  await without.resolver.ensure(NO_PROGRESS);
  assert.deepEqual([unwanted.matches, without.matches], [0, 0]);
  assert.equal(without.lines.filter((line) => line.includes("has no effect: there is no proxy")).length, 1);
});

Deno.test("shapedLaunch() tells the builder what the user has decided", async () => {
  const upstreamArgs = [{ flag: "--viewport-size", values: ["1x1"] }];
  const it = scene(
    {
      upstreamArgs,
      extraArgs: ["--lang=fr", "--proxy-server=http://x"],
      extensionPaths: ["/e"],
      browserVersion: "1",
    },
    { env: PROXY },
  );
  await it.resolver.plan();
  assert.deepEqual(it.requests, [{
    headless: true,
    args: ["--lang=fr"],
    proxy: { server: "http://proxy:1", username: "ann", password: "pw" },
    extensionPaths: ["/e"],
    fixedViewport: true,
    version: "1",
  }]);
  for (const viewport of [null, { width: 1, height: 1 }]) {
    const shaped = scene({ contextOptions: { viewport } });
    await shaped.resolver.plan();
    assert.equal(shaped.requests[0]?.fixedViewport, true);
  }
});

Deno.test("shapedLaunch() asks no builder for another browser, and refuses what only CloakBrowser can do", async () => {
  const plain = scene({ extensionPaths: ["/a", "/b"] }, { plan: OTHER });
  assert.deepEqual((await plain.resolver.plan()).built?.args, [
    "--load-extension=/a,/b",
    "--disable-extensions-except=/a,/b",
  ]);
  assert.deepEqual(plain.requests, []);
  assert.deepEqual(await scene({}, { plan: OTHER }).resolver.plan(), OTHER);
  const attached: BrowserPlan = { ...OTHER, attaches: true };
  assert.deepEqual(await scene({ extensionPaths: ["/a"] }, { plan: attached }).resolver.plan(), attached);
  const socks = { PLAYWRIGHT_MCP_PROXY_SERVER: "socks5://ann:pw@proxy:1" };
  await assert.rejects(
    scene({}, { plan: OTHER, env: socks }).resolver.plan(),
    /SOCKS proxy with a name and password/,
  );
  await assert.rejects(
    scene({ geoipProxyMatch: true }, { plan: OTHER, env: PROXY }).resolver.plan(),
    /only CloakBrowser can be given a place/,
  );
  await assert.rejects(
    scene({ geoipProxyMatch: true, extraArgs: ["--proxy-server=http=a:1;https=b:2"] }).resolver.plan(),
    /--extra-args name a list of proxies/,
  );
});
