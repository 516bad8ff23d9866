/** A browser that looks like the place where its proxy comes out, or none. */
import assert from "node:assert/strict";
import { geoipDatabase, type Place } from "../fixtures/geoip_database.ts";
import { HttpProxy } from "../fixtures/http_proxy.ts";
import { SocksProxy } from "../fixtures/socks_proxy.ts";
import { createCertificate } from "../harness/certificates.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun, type BrowserRunOptions } from "./browser_run.ts";
import { HttpBrowserRun } from "./http_browser_run.ts";
import { E2E_PAGES } from "./pages.ts";

/** One of the services that tell who asks them where the question comes from. */
const TELLING_HOST = "api.ipify.org";
const EXIT_ADDRESS = "81.2.69.160";
const PLACE_ARGUMENTS = /^--(fingerprint-timezone|fingerprint-locale|fingerprint-webrtc-ip|lang)=/;

/** A world of one site and one service that tells the exit address, with a folder whose server believes in it. */
class World implements AsyncDisposable {
  readonly folder = new BrowserFolder();
  readonly site = new LoopbackSite(E2E_PAGES);
  readonly #service: Deno.HttpServer<Deno.NetAddr>;

  constructor(place: Place | undefined) {
    const issuer = createCertificate("issuer of the world");
    const { certPem, keyPem } = createCertificate(TELLING_HOST, issuer, TELLING_HOST);
    this.#service = Deno.serve(
      { hostname: "127.0.0.1", port: 0, cert: certPem, key: keyPem, onListen: () => {} },
      () => new Response(`${EXIT_ADDRESS}\n`),
    );
    this.folder.write("issuer.pem", issuer.certPem);
    if (place === undefined) return;
    Deno.mkdirSync(`${this.cache}/geoip`, { recursive: true });
    Deno.writeFileSync(`${this.cache}/geoip/GeoLite2-City.mmdb`, geoipDatabase(place));
  }

  get cache(): string {
    return `${this.folder.path}/cache`;
  }

  readonly route = (host: string): number | undefined => {
    if (host === TELLING_HOST) return this.#service.addr.port;
    return host === "site.example" ? Number(new URL(this.site.origin).port) : undefined;
  };

  run(options: BrowserRunOptions): Promise<BrowserRun> {
    return BrowserRun.start({
      ...options,
      folder: this.folder,
      args: ["--geoip-proxy-match", ...options.args ?? []],
      env: { ...this.environment, ...options.env },
    });
  }

  get environment(): Record<string, string> {
    return { CLOAKBROWSER_CACHE_DIR: this.cache, DENO_CERT: `${this.folder.work}/issuer.pem` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service.shutdown();
    await this.site[Symbol.asyncDispose]();
    this.folder.remove();
  }
}

const BERLIN: Place = { country: "DE", timeZone: "Europe/Berlin" };

function placeArguments(args: readonly string[]): string[] {
  return args.filter((argument) => PLACE_ARGUMENTS.test(argument)).sort();
}

Deno.test("--geoip-proxy-match gives the browser the place where an HTTP proxy comes out", async () => {
  await using world = new World(BERLIN);
  const credentials = { username: "ann", password: "very-secret" };
  await using proxy = new HttpProxy({ credentials, route: world.route });
  await using run = await world.run({
    env: { PLAYWRIGHT_MCP_PROXY_SERVER: `http://ann:very-secret@${proxy.host}` },
  });
  assert.ok((await run.navigate("http://site.example/second")).text.includes("- Page Title: Second"));
  assert.deepEqual(placeArguments(run.browser().args), [
    "--fingerprint-locale=de-DE",
    "--fingerprint-timezone=Europe/Berlin",
    `--fingerprint-webrtc-ip=${EXIT_ADDRESS}`,
    "--lang=de-DE",
  ]);
  const asked = proxy.passed.filter(({ host }) => host === TELLING_HOST);
  assert.deepEqual(asked, [{ method: "CONNECT", host: TELLING_HOST, username: "ann" }], "one look");
});

Deno.test("--geoip-proxy-match looks through a SOCKS proxy too; arguments of the user win, key by key", async () => {
  await using world = new World(BERLIN);
  await using proxy = new SocksProxy({ route: world.route });
  await using run = await world.run({
    args: ["--proxy-server", `socks5h://${proxy.host}`, "--extra-args", "--fingerprint-timezone=Asia/Tokyo"],
  });
  assert.ok((await run.navigate("http://site.example/second")).text.includes("- Page Title: Second"));
  assert.deepEqual(placeArguments(run.browser().args), [
    "--fingerprint-locale=de-DE",
    "--fingerprint-timezone=Asia/Tokyo",
    `--fingerprint-webrtc-ip=${EXIT_ADDRESS}`,
    "--lang=de-DE",
  ]);
  assert.ok(proxy.passed.some(({ host }) => host === TELLING_HOST), "the proxy was given the name");
});

Deno.test("--geoip-proxy-match knows itself to a SOCKS proxy", async () => {
  await using world = new World(BERLIN);
  const credentials = { username: "ann", password: "very-secret" };
  await using proxy = new SocksProxy({ credentials, route: world.route });
  await using run = await world.run({ args: ["--proxy-server", `socks5://ann:very-secret@${proxy.host}`] });
  // Only a CloakBrowser gets further; what it is told is seen in any case.
  await run.callFailing("browser_navigate", { url: "http://site.example/second" });
  assert.equal(placeArguments(run.browser().args).length, 4);
  assert.deepEqual(proxy.passed, [{ host: TELLING_HOST, username: "ann" }]);
});

Deno.test("--geoip-proxy-match starts no browser where the place is not known, and says why", async (t) => {
  await t.step("the proxy does not answer; the next call looks again", async () => {
    await using world = new World(BERLIN);
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const server = `127.0.0.1:${listener.addr.port}`;
    listener.close();
    await using run = await world.run({ args: ["--proxy-server", `ann:very-secret@${server}`] });
    for (let call = 0; call < 2; call++) {
      const { text } = await run.callFailing("browser_navigate", { url: "http://site.example/" });
      assert.match(
        text,
        /^### Error\nCannot match the browser to the proxy "http:\/\/127\.0\.0\.1:\d+": the proxy does/,
      );
      assert.match(text, /No browser was started\. Check its address, or start without --geoip-proxy-match/);
      assert.doesNotMatch(text, /secret/);
    }
    assert.throws(() => run.browser(), /no browser runs/);
  });
  await t.step("nobody tells the exit address", async () => {
    await using world = new World(BERLIN);
    await using proxy = new HttpProxy({
      route: (host) => host === TELLING_HOST ? undefined : world.route(host),
    });
    await using run = await world.run({ args: ["--proxy-server", proxy.host] });
    const { text } = await run.callFailing("browser_navigate", { url: "http://site.example/" });
    assert.match(
      text,
      /nobody outside tells the address where it comes out.*Let the proxy reach api\.ipify\.org/,
    );
    assert.throws(() => run.browser(), /no browser runs/);
  });
  const cases: readonly (readonly [title: string, place: Place | undefined, says: RegExp])[] = [
    [
      "no database",
      undefined,
      /there is no GeoIP database, and it could not be downloaded.*Put "GeoLite2-City\.mmdb"/,
    ],
    [
      "no time zone in the database",
      { country: "DE" },
      /knows no time zone or language.*--fingerprint-timezone=/,
    ],
    ["no language for the country", { country: "XX", timeZone: "Europe/Berlin" }, /no time zone or language/],
  ];
  for (const [title, place, says] of cases) {
    await t.step(title, async () => {
      await using world = new World(place);
      await using proxy = new HttpProxy({ route: world.route });
      await using run = await world.run({ args: ["--proxy-server", proxy.host] });
      const { text } = await run.callFailing("browser_navigate", { url: "http://site.example/" });
      assert.match(text, says);
      assert.throws(() => run.browser(), /no browser runs/);
    });
  }
});

Deno.test("geoipProxyMatch is a session's own affair, and nothing without a proxy", async () => {
  await using world = new World(BERLIN);
  await using proxy = new HttpProxy({ route: world.route });
  await using run = await HttpBrowserRun.start({ folder: world.folder, env: world.environment });
  const matched = await run.open({ geoipProxyMatch: true, proxyServer: proxy.host });
  const without = await run.open({ geoipProxyMatch: true });
  await matched.navigate("http://site.example/second");
  await without.navigate(world.site.url("/second"));
  run.http.tree.record();
  assert.equal(placeArguments((await matched.browser()).args).length, 4);
  assert.deepEqual(placeArguments((await without.browser()).args), []);
  assert.match(run.http.stderr, /matching the browser to its proxy has no effect: there is no proxy/);
  for (const user of [matched, without]) await user.end();
});
