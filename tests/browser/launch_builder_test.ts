import assert from "node:assert/strict";
import { createLaunchBuilder, type LaunchRequest } from "../../src/browser/launch_builder.ts";
import { browserSettings, collectingLog } from "./test_settings.ts";

const PLAIN: LaunchRequest = {
  headless: true,
  args: [],
  proxy: undefined,
  extensionPaths: [],
  fixedViewport: false,
  version: undefined,
};
const NEW = "150.0.0.0";

async function build(request: Partial<LaunchRequest>): Promise<readonly string[]> {
  const builder = createLaunchBuilder(browserSettings(), collectingLog().log);
  return (await builder({ ...PLAIN, ...request })).args;
}

Deno.test("createLaunchBuilder() opens the window maximized where the browser is new enough and nobody has chosen", async () => {
  assert.deepEqual(await build({ version: NEW }), ["--start-maximized"]);
  assert.deepEqual(await build({ version: "140.0.0.0" }), []);
  assert.deepEqual(await build({}), [], "a browser of unknown age");
  assert.deepEqual(await build({ version: NEW, fixedViewport: true }), []);
  for (const argument of ["--window-size=1,1", "--window-position=0,0", "--start-maximized"]) {
    assert.deepEqual(await build({ version: NEW, args: [argument] }), [], argument);
  }
});

Deno.test("createLaunchBuilder() takes nothing else, headed or not", async () => {
  assert.deepEqual(await build({ headless: false, args: ["--lang=de", "--fingerprint=1"] }), []);
});

Deno.test("createLaunchBuilder() loads extensions", async () => {
  assert.deepEqual(await build({ extensionPaths: ["/a", "/b"] }), [
    "--load-extension=/a,/b",
    "--disable-extensions-except=/a,/b",
  ]);
});

Deno.test("createLaunchBuilder() leaves a proxy to Playwright, but one of SOCKS with a password", async () => {
  const builder = createLaunchBuilder(browserSettings(), collectingLog().log);
  const credentials = { username: "a@b", password: "c:d=" };
  for (const server of ["http://proxy:1", "https://proxy:1"]) {
    assert.deepEqual(
      await builder({ ...PLAIN, version: NEW, fixedViewport: true, proxy: { server, ...credentials } }),
      {
        args: [],
        holdsProxy: false,
      },
    );
  }
  assert.deepEqual(await builder({ ...PLAIN, proxy: { server: "socks5://proxy:1" } }), {
    args: [],
    holdsProxy: false,
  });
  assert.deepEqual(
    await builder({ ...PLAIN, proxy: { server: "socks5h://proxy:1", bypass: "a,b", ...credentials } }),
    {
      args: ["--proxy-server=socks5://a%40b:c%3Ad%3D@proxy:1", "--proxy-bypass-list=a,b"],
      holdsProxy: true,
    },
  );
});

Deno.test("createLaunchBuilder() neither downloads nor leaves a variable behind", async () => {
  const before = Deno.env.get("CLOAKBROWSER_BINARY_PATH");
  Deno.env.delete("CLOAKBROWSER_BINARY_PATH");
  try {
    await Promise.all([build({}), build({ version: NEW })]);
    assert.equal(Deno.env.get("CLOAKBROWSER_BINARY_PATH"), undefined);
  } finally {
    if (before !== undefined) Deno.env.set("CLOAKBROWSER_BINARY_PATH", before);
  }
});
