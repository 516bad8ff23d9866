/** Playwright's extension mode, as far as it goes without a Chrome that has the extension. */
import assert from "node:assert/strict";
import { StdioClient } from "../harness/stdio_client.ts";
import { bridgeCommand } from "../harness/target.ts";
import { until } from "../harness/until.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun, ENDS_WITHIN_MS } from "./browser_run.ts";
import { HttpBrowserRun } from "./http_browser_run.ts";

const TOKEN = "a-token-of-the-extension";
const ENVIRONMENT = { PLAYWRIGHT_MCP_EXTENSION_TOKEN: TOKEN, CLOAK_PLAYWRIGHT_MCP_LOG_LEVEL: "trace" };

Deno.test("the extension's token reaches upstream in its mode alone, and no command line or log", async () => {
  for (const args of [["--extension"], []]) {
    await using run = await BrowserRun.start({ args, env: ENVIRONMENT });
    const pid = await until("upstream's start", async () => {
      return (await run.report("cloakbrowser_bridge_info")).upstream.pid;
    }, ENDS_WITHIN_MS);
    const environ = await Deno.readTextFile(`/proc/${pid}/environ`);
    assert.equal(environ.includes(TOKEN), args.length > 0, args.join());
    assert.ok(!(await Deno.readTextFile(`/proc/${pid}/cmdline`)).includes(TOKEN));
    assert.ok(!run.client.stderrText.includes(TOKEN));
  }
});

Deno.test("what does not go with the extension ends the start with status 2, in one message", async () => {
  using folder = new BrowserFolder();
  const { command, args } = bridgeCommand();
  const client = StdioClient.start({
    command,
    args: [
      ...args,
      "--extension",
      "--isolated",
      "--proxy-server",
      "http://p:1",
      "--context-options",
      '{"offline":true}',
    ],
    env: { ...folder.environment, ...ENVIRONMENT },
    cwd: folder.work,
  });
  assert.equal((await client.exit(ENDS_WITHIN_MS)).code, 2);
  assert.match(
    client.stderrText,
    /extension together with --isolated, a proxy, context options: it attaches/,
  );
  assert.deepEqual(folder.temporaryEntries(), []);
});

Deno.test("a session chooses the extension, and is refused what does not go with it", async () => {
  await using run = await HttpBrowserRun.start({ env: ENVIRONMENT });
  const user = await run.open({ extensionMode: true, profileDirName: "Profile 1" });
  const environ = await Deno.readTextFile(`/proc/${await user.upstreamPid()}/environ`);
  assert.ok(environ.includes(TOKEN));
  const plain = await run.open();
  assert.ok(!(await Deno.readTextFile(`/proc/${await plain.upstreamPid()}/environ`)).includes(TOKEN));
  for (
    const [options, says] of [
      [{ extensionMode: true, proxyServer: "http://p:1" }, /Playwright's extension together with a proxy/],
      [{ extensionMode: true, extensionToken: "t" }, /extensionToken may not be set by a session/],
    ] as const
  ) {
    await assert.rejects(run.open(options), says);
  }
  for (const each of [user, plain]) assert.equal(await each.client.end(), 200);
});
