/** Which browser runs where CloakBrowser is not there yet. Its download host is a stand-in on loopback. */
import assert from "node:assert/strict";
import {
  type Behaviour,
  chromeArchive,
  type DownloadHost,
  startDownloadHost,
} from "../fixtures/download_host.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import type { Message } from "../harness/stdio_client.ts";
import { bridgeCommand } from "../harness/target.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun } from "./browser_run.ts";
import { testBrowserPath } from "./test_browser.ts";

/** A host whose archive holds a `chrome` that is the browser of the tests. */
async function downloadHost(...behaviours: Behaviour[]): Promise<DownloadHost> {
  const archive = await chromeArchive(`#!/bin/sh\nexec "${await testBrowserPath()}" "$@"\n`);
  return startDownloadHost({ archive, behaviours });
}

/** The stand-in signs nothing, so the check of its checksums is switched off. */
function environment(host: DownloadHost): Record<string, string> {
  return { CLOAKBROWSER_DOWNLOAD_URL: host.url, CLOAKBROWSER_SKIP_CHECKSUM: "true" };
}

Deno.test("cloak: a failed download is a helpful tool error, and the next call tries again", async () => {
  await using site = new LoopbackSite();
  await using host = await downloadHost("missing", "missing", "good");
  await using run = await BrowserRun.start({ browser: false, env: environment(host) });
  assert.match((await run.report("cloakbrowser_binary_info")).note, /the first browser call downloads it/);
  assert.deepEqual(host.archiveRequests, [], "nothing is downloaded before a browser is wanted");
  for (const attempt of [1, 2]) {
    const { text } = await run.callFailing("browser_navigate", { url: site.url("/form") });
    assert.match(text, /^### Error\nCannot get CloakBrowser \d\S+ for \S+ from 127\.0\.0\.1:\d+: .*HTTP 404/);
    const remedies = [
      "--binary-path",
      "--browser-engine playwright",
      "--executable-path",
      "HTTPS_PROXY",
      "install",
    ];
    for (const word of remedies) assert.ok(text.includes(word), `${word} in ${text}`);
    assert.equal(host.archiveRequests.length, attempt);
    assert.deepEqual(site.visits, []);
  }
  await run.navigate(site.url("/form"));
  const report = await run.report("cloakbrowser_binary_info");
  assert.deepEqual([report.browserEngine, report.source, report.binary.installed], [
    "cloak",
    "cloakbrowser",
    true,
  ]);
  assert.ok(run.browser().args.some((arg) => arg.startsWith("--fingerprint=")));
  assert.equal(
    (await run.report("cloakbrowser_bridge_info")).upstream.generation,
    1,
    "the child was right at once",
  );
});

Deno.test("cloak: a download tells its progress to the calls that wait for it, and happens once", async () => {
  await using site = new LoopbackSite();
  await using host = await downloadHost("held");
  await using run = await BrowserRun.start({ browser: false, env: environment(host) });
  const { client } = run;
  const asked = host.nextRequest();
  const first = client.callTool("browser_navigate", { url: site.url("/form") }, {
    id: "first",
    meta: { progressToken: "download" },
  });
  await asked;
  const second = client.callTool("browser_tabs", { action: "list" }, {
    id: "second",
    meta: { progressToken: 0 },
  });
  await client.next(isProgressOf(0), { what: "progress of the second call" });
  assert.ok((await client.request("tools/list")).result.tools.length > 20, "other requests do not wait");
  host.release();
  assert.equal((await first).result.isError, undefined);
  assert.equal((await second).result.isError, undefined);
  assert.equal(host.archiveRequests.length, 1);

  const answeredAt = client.inbox.lines.findIndex(({ message }) => message.id === "first");
  const told = client.inbox.lines.slice(0, answeredAt).map(({ message }) => message).filter(
    isProgressOf("download"),
  );
  const values: number[] = told.map(({ params }) => params.progress);
  assert.ok(told.some(({ params }) => /Downloading from http/.test(params.message)), JSON.stringify(told));
  assert.ok(told.some(({ params }) => /progress: \d+%/.test(params.message)), JSON.stringify(told));
  assert.deepEqual(
    values,
    [...new Set(values)].sort((a, b) => a - b),
    "each value is greater than the one before",
  );
  assert.ok(told.every(({ params }) => params.total === 100));
});

Deno.test("auto: an installed browser stands in for CloakBrowser, which is said in the log and in the report", async () => {
  await using site = new LoopbackSite();
  await using host = await downloadHost("missing");
  await using run = await BrowserRun.start({
    browser: false,
    args: ["--browser-engine", "auto", "--no-sandbox"],
    env: environment(host),
  });
  await run.navigate(site.url("/form"));
  const report = await run.report("cloakbrowser_binary_info");
  assert.deepEqual([report.browserEngine, report.source], ["playwright", "installed_chrome"]);
  assert.match(
    report.note,
    /^An installed browser runs instead of CloakBrowser: Cannot get CloakBrowser .* HTTP 404/,
  );
  assert.match(run.client.stderrText, /WARN .*running an installed browser instead of CloakBrowser/);
  assert.ok(
    !run.browser().args.some((arg) => arg.startsWith("--fingerprint")),
    "no CloakBrowser, no fingerprint",
  );
  await run.call("browser_close");
  await run.navigate(site.url("/second"));
  assert.equal(host.archiveRequests.length, 1, "it is not tried at every call");
});

Deno.test("auto: CloakBrowser runs where it can be had", async () => {
  await using site = new LoopbackSite();
  await using host = await downloadHost("good");
  await using run = await BrowserRun.start({
    browser: false,
    args: ["--browser-engine", "auto"],
    env: environment(host),
  });
  await run.navigate(site.url("/form"));
  const report = await run.report("cloakbrowser_binary_info");
  assert.deepEqual([report.browserEngine, report.source], ["cloak", "cloakbrowser"]);
});

Deno.test("install downloads ahead of the first use, once", async () => {
  await using site = new LoopbackSite();
  await using host = await downloadHost("good", "missing");
  using folder = new BrowserFolder();
  const installed = await install(folder, host);
  assert.equal(installed.code, 0, installed.text);
  assert.match(installed.text, /\b100 ?%/);
  assert.equal((await install(folder, host)).code, 0);
  assert.equal(host.archiveRequests.length, 1);
  await using run = await BrowserRun.start({ browser: false, folder, env: environment(host) });
  await run.navigate(site.url("/form"));
  assert.equal(run.client.stderrText, "");
});

Deno.test("install without a host ends with exit status 3", async () => {
  await using host = await downloadHost("missing");
  using folder = new BrowserFolder();
  const { code, text } = await install(folder, host);
  assert.equal(code, 3, text);
  assert.match(text, /Cannot get CloakBrowser/);
});

async function install(folder: BrowserFolder, host: DownloadHost): Promise<{ code: number; text: string }> {
  const { command, args } = bridgeCommand();
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args, "install"],
    cwd: folder.work,
    clearEnv: true,
    env: { ...folder.environment, ...environment(host) },
  }).output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

function isProgressOf(token: string | number): (message: Message) => boolean {
  return (message) => message.method === "notifications/progress" && message.params.progressToken === token;
}
