/** Pages that come through a proxy, and a password that nobody sees. */
import assert from "node:assert/strict";
import { HttpProxy } from "../fixtures/http_proxy.ts";
import { SocksProxy } from "../fixtures/socks_proxy.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import type { ProcessTree } from "../harness/process_tree.ts";
import { StdioClient } from "../harness/stdio_client.ts";
import { bridgeCommand } from "../harness/target.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun, ENDS_WITHIN_MS } from "./browser_run.ts";
import { HttpBrowserRun } from "./http_browser_run.ts";
import { E2E_PAGES } from "./pages.ts";
import { testBrowserPath } from "./test_browser.ts";

const CREDENTIALS = { username: "ann@example", password: "very:secret" };
const USER_INFO = "ann%40example:very%3Asecret";
/** Every form in which the password could stand somewhere. */
const PASSWORDS = ["very:secret", "very%3Asecret", btoa("ann@example:very:secret")];

/** Leads `site.example` to the site, and refuses the rest of the world. */
function routeTo(site: LoopbackSite): (host: string) => number | undefined {
  return (host) => (host.endsWith("site.example") ? Number(new URL(site.origin).port) : undefined);
}

/** Places outside the server itself where the password stands, of those that other users or a page could read. */
function leaks(tree: ProcessTree, server: number, log: string): string[] {
  const places = tree.record().filter(({ pid }) => pid !== server).flatMap(({ pid }) =>
    ["cmdline", "environ"].map((name) => `/proc/${pid}/${name}`)
  );
  assert.ok(places.length >= 4, "upstream and browser run");
  const texts = places.map((place): [string, string] => [place, readOrEmpty(place)]);
  return [...texts, ["log", log] as const]
    .filter(([, text]) => PASSWORDS.some((password) => text.includes(password)))
    .map(([place]) => place);
}

function readOrEmpty(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

for (
  const [place, start] of [
    ["the environment", (address: string) => ({ env: { PLAYWRIGHT_MCP_PROXY_SERVER: address } })],
    ["the command line", (address: string) => ({ args: ["--proxy-server", address] })],
    ["a browser argument", (address: string) => ({ args: ["--extra-args", `--proxy-server=${address}`] })],
  ] as const
) {
  Deno.test(`a proxy with a password in ${place} is used, and its password leaves the server only to it`, async () => {
    await using site = new LoopbackSite(E2E_PAGES);
    await using proxy = new HttpProxy({ credentials: CREDENTIALS, route: routeTo(site) });
    const options = start(`http://${USER_INFO}@${proxy.host}`);
    const log = { CLOAK_PLAYWRIGHT_MCP_LOG_LEVEL: "trace", DEBUG: "pw:browser*" };
    await using run = await BrowserRun.start({
      ...options,
      env: { ...log, ..."env" in options && options.env },
    });
    const page = await run.navigate("http://site.example/second");
    assert.ok(page.text.includes("- Page Title: Second"), page.text);
    assert.equal(site.visitsOf("/second").at(-1)?.headers["host"], "site.example");
    assert.deepEqual(proxy.passed.at(-1)?.username, CREDENTIALS.username);
    assert.deepEqual(leaks(run.tree, run.client.pid, run.client.stderrText), []);
  });
}

Deno.test("a SOCKS proxy is used, also for the names of hosts", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using proxy = new SocksProxy({ route: routeTo(site) });
  await using run = await BrowserRun.start({ args: ["--proxy-server", `socks5://${proxy.host}`] });
  const page = await run.navigate("http://site.example/second");
  assert.ok(page.text.includes("- Page Title: Second"), page.text);
  assert.equal(proxy.passed.at(-1)?.host, "site.example");
});

Deno.test("a SOCKS proxy with a password is CloakBrowser's to use; a Chromium that cannot reaches nothing at all", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using proxy = new SocksProxy({ credentials: CREDENTIALS, route: routeTo(site) });
  const env = { PLAYWRIGHT_MCP_PROXY_SERVER: `socks5h://${USER_INFO}@${proxy.host}` };
  await using run = await BrowserRun.start({ env });
  const { text } = await run.callFailing("browser_navigate", { url: "http://site.example/second" });
  assert.match(text, /ERR_NO_SUPPORTED_PROXIES/);
  assert.deepEqual(site.visits, []);
  assert.ok(run.browser().args.includes(`--proxy-server=socks5://${USER_INFO}@${proxy.host}`));
  const { upstream } = await run.report("cloakbrowser_bridge_info");
  for (const name of ["cmdline", "environ"]) {
    assert.ok(!readOrEmpty(`/proc/${upstream.pid}/${name}`).includes("secret"), `${name} of upstream`);
  }
  assert.match(run.client.stderrText, /WARN .*password of the SOCKS proxy on its command line/);
  assert.doesNotMatch(run.client.stderrText, /very.{1,3}secret/);
});

Deno.test("--proxy-bypass names hosts that are reached without the proxy", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using proxy = new HttpProxy({ route: routeTo(site) });
  const args = ["--proxy-server", proxy.host, "--proxy-bypass", "127.0.0.1"];
  await using run = await BrowserRun.start({ args });
  await run.navigate("http://site.example/second");
  const before = proxy.passed.length;
  assert.ok(before > 0, "one host through the proxy");
  await run.navigate(site.url("/second"));
  assert.equal(proxy.passed.length, before);
});

Deno.test("two sessions have two proxies, with the right name at each, and two languages, over those of the operator", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  const route = routeTo(site);
  await using operators = new HttpProxy({ route });
  await using first = new HttpProxy({ credentials: CREDENTIALS, route });
  await using second = new HttpProxy({ credentials: { username: "bob", password: "other-word" }, route });
  await using run = await HttpBrowserRun.start({
    env: { PLAYWRIGHT_MCP_PROXY_SERVER: operators.host, PLAYWRIGHT_MCP_PROXY_BYPASS: "*.site.example" },
  });
  const users = await Promise.all([
    run.open({ proxyServer: `http://${USER_INFO}@${first.host}`, contextOptions: { locale: "fr-FR" } }),
    run.open({ proxyServer: `bob:other-word@${second.host}`, contextOptions: { locale: "ja-JP" } }),
  ]);
  await Promise.all(users.map((user) => user.navigate("http://one.site.example/second")));
  run.http.tree.record();
  const languages = await Promise.all(users.map((user) => user.evaluate("navigator.language")));
  assert.deepEqual(languages, ["fr-FR", "ja-JP"]);
  assert.equal(first.passed.at(-1)?.username, CREDENTIALS.username);
  assert.equal(second.passed.at(-1)?.username, "bob");
  assert.deepEqual(operators.passed, []);
  assert.deepEqual(leaks(run.http.tree, run.http.pid, run.http.stderr), []);
  for (const user of users) await user.end();
});

Deno.test("an address that cannot be used ends the start with status 2, wherever it stands", async (t) => {
  using folder = new BrowserFolder();
  const config = folder.write(
    "mcp.json",
    '{"browser":{"launchOptions":{"proxy":{"server":"ftp://a:very-secret@b"}}}}',
  );
  const cases: readonly { env?: Record<string, string>; args?: string[]; says: RegExp }[] = [
    {
      env: { PLAYWRIGHT_MCP_PROXY_SERVER: "http://ann:very-secret@" },
      says: /Cannot use the value of PLAYWRIGHT_MCP_PROXY_SERVER: it must be the address of a proxy such as/,
    },
    {
      args: ["--proxy-server", "http://ann:very-secret@proxy:port"],
      says: /Cannot use the value of --proxy-server: it must be the address of a proxy/,
    },
    {
      args: ["--extra-args", "--proxy-server=ftp://ann:very-secret@proxy"],
      says: /Cannot use the value of --proxy-server: it must have one of the schemes/,
    },
    { args: ["--config", config], says: /"browser.launchOptions.proxy.server" of the configuration file/ },
  ];
  for (const { says, env = {}, args = [] } of cases) {
    await t.step(says.source.slice(0, 60), async () => {
      const { command, args: own } = bridgeCommand();
      const client = StdioClient.start({
        command,
        args: [...own, ...args],
        env: { ...folder.environment, CLOAKBROWSER_BINARY_PATH: await testBrowserPath(), ...env },
        cwd: folder.work,
      });
      assert.equal((await client.exit(ENDS_WITHIN_MS)).code, 2);
      assert.match(client.stderrText, says);
      assert.doesNotMatch(client.stderrText, /very-secret/);
      assert.deepEqual(client.inbox.lines, []);
      assert.deepEqual(folder.temporaryEntries(), []);
    });
  }
});
