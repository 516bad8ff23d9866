import assert from "node:assert/strict";
import { chooseProxy, withoutProxyArguments } from "../../src/browser/browser_proxy.ts";
import type { JsonObject } from "../../src/browser/upstream_option.ts";
import { AppError } from "../../src/errors.ts";

function choose(
  { flags = {}, env = {}, config = {}, args = [] }: {
    flags?: Record<string, string>;
    env?: Record<string, string>;
    config?: JsonObject;
    args?: readonly string[];
  },
): ReturnType<typeof chooseProxy> {
  const upstreamArgs = Object.entries(flags).map(([flag, value]) => ({ flag, values: [value] }));
  return chooseProxy({ upstreamArgs, env, config }, args);
}

const CONFIG = {
  browser: { launchOptions: { proxy: { server: "http://a:b@config:1", bypass: ".config", password: "c" } } },
};
const ARGS = ["--lang=de", "--proxy-server=ann:pw@argument:1", "--proxy-bypass-list=one;two"];

Deno.test("chooseProxy() takes the option over the configuration file over the browser argument", () => {
  const env = { PLAYWRIGHT_MCP_PROXY_SERVER: "socks5://env:1" };
  const flags = { "--proxy-server": "http://flag:1" };
  assert.deepEqual(choose({ flags, env, config: CONFIG, args: ARGS }), {
    proxy: { server: "http://flag:1" },
    source: "option",
  });
  assert.deepEqual(choose({ env, config: CONFIG, args: ARGS })?.proxy, { server: "socks5://env:1" });
  assert.deepEqual(choose({ config: CONFIG, args: ARGS }), {
    proxy: { server: "http://config:1", username: "a", password: "c", bypass: ".config" },
    source: "config",
  });
  assert.deepEqual(choose({ args: ARGS }), {
    proxy: { server: "http://argument:1", username: "ann", password: "pw", bypass: "one,two" },
    source: "argument",
  });
  assert.equal(choose({ flags: { "--proxy-server": "" } }), undefined);
  assert.equal(choose({}), undefined);
});

Deno.test("chooseProxy() takes the bypass option with the proxy option, and none that stands elsewhere", () => {
  const flags = { "--proxy-bypass": ".example, other" };
  const env = { PLAYWRIGHT_MCP_PROXY_SERVER: "http://env:1" };
  assert.deepEqual(choose({ flags, env })?.proxy, { server: "http://env:1", bypass: ".example, other" });
  assert.deepEqual(choose({ env, config: CONFIG, args: ARGS })?.proxy, { server: "http://env:1" });
});

Deno.test("chooseProxy() finds the argument of the configuration file, under ours", () => {
  const config = { browser: { launchOptions: { args: ["--proxy-server=http://theirs:1"] } } };
  assert.equal(choose({ config })?.proxy.server, "http://theirs:1");
  assert.equal(choose({ config, args: ARGS })?.proxy.server, "http://argument:1");
});

Deno.test("chooseProxy() leaves Chromium's lists of proxies to Chromium", () => {
  for (const list of ["http=a:1;https=b:2", "socks5://a:1,direct://", "direct://"]) {
    assert.equal(choose({ args: [`--proxy-server=${list}`] }), undefined, list);
  }
});

Deno.test("chooseProxy() refuses an address that cannot be used, by the place and not by the address", () => {
  const bad = { server: "http://ann:pw@:1" };
  const cases = [
    { env: { PLAYWRIGHT_MCP_PROXY_SERVER: bad.server }, place: "PLAYWRIGHT_MCP_PROXY_SERVER" },
    { config: { browser: { launchOptions: { proxy: bad } } }, place: '"browser.launchOptions.proxy.server"' },
    { config: { browser: { launchOptions: { proxy: {} } } }, place: '"browser.launchOptions.proxy.server"' },
    { args: ["--proxy-server=ftp://ann:pw@b:2"], place: "--proxy-server" },
  ];
  for (const { place, ...given } of cases) {
    assert.throws(() => choose(given), (error) => {
      assert.ok(error instanceof AppError && error.code === "usage");
      assert.ok(error.message.includes(place), error.message);
      assert.ok(!/ann:|pw@/.test(error.message), error.message);
      return true;
    });
  }
});

Deno.test("withoutProxyArguments() takes out both arguments and nothing else", () => {
  assert.deepEqual(withoutProxyArguments([...ARGS, "--proxy-pac-url=http://x"]), [
    "--lang=de",
    "--proxy-pac-url=http://x",
  ]);
});
