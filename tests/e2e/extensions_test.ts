/** Unpacked Chrome extensions that the browser loads. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { StdioClient } from "../harness/stdio_client.ts";
import { bridgeCommand } from "../harness/target.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun, ENDS_WITHIN_MS } from "./browser_run.ts";
import { MARK, writeExtension } from "./extension_fixture.ts";
import { HttpBrowserRun } from "./http_browser_run.ts";
import { E2E_PAGES } from "./pages.ts";
import { testBrowserPath } from "./test_browser.ts";

for (const engine of ["cloak", "auto", "playwright"] as const) {
  Deno.test(`--extension-paths loads an extension with the engine ${engine}`, async () => {
    await using site = new LoopbackSite(E2E_PAGES);
    using folder = new BrowserFolder();
    const extension = await writeExtension(`${folder.path}/an extension`, "one");
    const args = ["--browser-engine", engine, "--extension-paths", JSON.stringify([extension])];
    if (engine === "playwright") args.push("--executable-path", await testBrowserPath(), "--no-sandbox");
    await using run = await BrowserRun.start({ folder, args });
    await run.navigate(site.url("/second"));
    assert.equal(await run.evaluate(MARK), "one");
  });
}

Deno.test("each session has its own extensions, in its private profile too", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  using folder = new BrowserFolder();
  const [one, two] = [
    await writeExtension(`${folder.path}/one`, "one"),
    await writeExtension(`${folder.path}/two`, "two"),
  ];
  await using run = await HttpBrowserRun.start({ folder, args: ["--extension-paths", one] });
  const users = await Promise.all([
    run.open(),
    run.open({ extensionPaths: [two] }),
    run.open({ extensionPaths: [] }),
    run.open({ extensionPaths: [two], userDataDir: `${folder.path}/kept` }),
  ]);
  await Promise.all(users.map((user) => user.navigate(site.url("/second"))));
  run.http.tree.record();
  assert.deepEqual(await Promise.all(users.map((user) => user.evaluate(MARK))), ["one", "two", null, "two"]);
  await Promise.all(users.map((user) => user.end()));
});

Deno.test("an extension that cannot be loaded ends the start with status 2, and says which", async (t) => {
  using folder = new BrowserFolder();
  const good = await writeExtension(`${folder.path}/good`, "good");
  const file = folder.write("file", "");
  const cases: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [
      ["--extension-paths", `${folder.path}/nowhere`],
      /"[^"]+nowhere" for --extension-paths: it does not exist/,
    ],
    [["--extension-paths", file], /file" for --extension-paths: it is no directory/],
    [["--extension-paths", folder.home], /home" for --extension-paths: it holds no manifest\.json/],
    [
      ["--extension-paths", good, "--cdp-endpoint", "http://127.0.0.1:9"],
      /together with --cdp-endpoint: they need a Chromium that is started here/,
    ],
    [
      ["--extension-paths", good, "--isolated"],
      /extensions together with --isolated: they need a profile on disk/,
    ],
  ];
  for (const [args, says] of cases) {
    await t.step(says.source, async () => {
      const { command, args: own } = bridgeCommand();
      const client = StdioClient.start({
        command,
        args: [...own, ...args],
        env: { ...folder.environment, CLOAKBROWSER_BINARY_PATH: await testBrowserPath() },
        cwd: folder.work,
      });
      assert.equal((await client.exit(ENDS_WITHIN_MS)).code, 2);
      assert.match(client.stderrText, says);
      assert.deepEqual(folder.temporaryEntries(), []);
    });
  }
});
