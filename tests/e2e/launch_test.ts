/** How the browser is started: what our options and upstream's make of its command line. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun, type BrowserRunOptions } from "./browser_run.ts";
import { StandaloneBrowser } from "./standalone_browser.ts";
import { testBrowserPath } from "./test_browser.ts";

/** Command line of the browser that a server with these options starts. */
async function browserArguments(options: BrowserRunOptions): Promise<readonly string[]> {
  await using run = await BrowserRun.start(options);
  await run.navigate("about:blank");
  return run.browser().args;
}

Deno.test("the browser runs headless, with stealth arguments and without sandbox by default", async () => {
  const args = await browserArguments({});
  assert.ok(args.includes("--headless"), args.join(" "));
  assert.ok(args.includes("--no-sandbox"));
  assert.ok(args.some((arg) => /^--fingerprint=\d+$/.test(arg)));
  assert.ok(!args.includes("--enable-automation") && !args.includes("--enable-unsafe-swiftshader"));
  assert.ok(args.includes("--remote-debugging-pipe"), "no port is open");
});

Deno.test("--no-stealth-args leaves the fingerprint out, --extra-args reach the browser", async () => {
  const args = await browserArguments({
    args: ["--no-stealth-args", "--extra-args", "--mark-one,--mark-two=2"],
  });
  assert.ok(!args.some((arg) => arg.startsWith("--fingerprint")), args.join(" "));
  assert.ok(args.includes("--mark-one") && args.includes("--mark-two=2"));
});

Deno.test("arguments from the environment: a list in JSON may contain commas, and replaces a stealth argument", async () => {
  const extra = ["--fingerprint=7", "--mark=a,b"];
  const args = await browserArguments({ env: { CLOAK_PLAYWRIGHT_MCP_EXTRA_ARGS: JSON.stringify(extra) } });
  assert.deepEqual(args.filter((arg) => arg.startsWith("--fingerprint=")), ["--fingerprint=7"]);
  assert.ok(args.includes("--mark=a,b"));
});

Deno.test("--sandbox takes --no-sandbox out, which Chromium as root refuses in words", async () => {
  await using run = await BrowserRun.start({ args: ["--sandbox"] });
  const answer = await run.client.callTool("browser_navigate", { url: "about:blank" });
  if (answer.result.isError !== true) {
    assert.ok(!run.browser().args.includes("--no-sandbox"));
    assert.notEqual(Deno.uid(), 0, "a browser of root has no sandbox");
    return;
  }
  const { text } = answer.result.content[0];
  assert.match(text, /sandbox/i);
  if (Deno.uid() === 0) assert.match(text, /Running as root without --no-sandbox is not supported/);
});

Deno.test("a browser that exits at once is a short error: its last words, and what to do", async () => {
  using folder = new BrowserFolder();
  const browser = folder.write(
    "browser",
    "#!/bin/sh\necho 'browser: error while loading shared libraries: libnss3.so: cannot open shared object file' >&2\n" +
      "exit 127\n",
  );
  await Deno.chmod(browser, 0o755);
  const managed = ["--cdp-enabled", "--cdp-port-range", "19390-19399"];
  for (const args of [[], managed]) {
    await using run = await BrowserRun.start({ folder, args, env: { CLOAKBROWSER_BINARY_PATH: browser } });
    const { text } = await run.callFailing("browser_navigate", { url: "about:blank" });
    assert.match(text, /did not start: it exited with status 127\. The library libnss3\.so is missing/);
    assert.match(text, /Its last output:\nbrowser: error while loading/);
    assert.ok(text.length < 1_000, text);
  }
});

Deno.test("a browser that misses a library names it, with and without a profile", async () => {
  using folder = new BrowserFolder();
  // A program of this system that asks for a library that no system has.
  const bytes = await Deno.readFile("/bin/ls");
  const text = new TextDecoder("latin1").decode(bytes);
  const at = text.indexOf("libselinux.so.1");
  assert.ok(at > 0, "ls links against libselinux");
  bytes.set(new TextEncoder().encode("libmissing.so.1"), at);
  const browser = folder.path + "/browser";
  await Deno.writeFile(browser, bytes, { mode: 0o755 });
  const managed = ["--cdp-enabled", "--cdp-port-range", "19390-19399"];
  for (const args of [[], ["--isolated"], managed]) {
    await using run = await BrowserRun.start({ folder, args, env: { CLOAKBROWSER_BINARY_PATH: browser } });
    const { text } = await run.callFailing("browser_navigate", { url: "about:blank" });
    assert.match(text, /did not start.* The library libmissing\.so\.1 is missing; `cloakbrowser-mcp doctor`/);
    assert.doesNotMatch(text, /npx/);
  }
});

Deno.test("--viewport-size and --user-agent are upstream's and work with = too", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({
    args: ["--viewport-size=640x480", "--user-agent", "Tester/1.0 (e2e)"],
  });
  await run.navigate(site.url("/form"));
  assert.deepEqual(await run.evaluate("[innerWidth, innerHeight, navigator.userAgent]"), [
    640,
    480,
    "Tester/1.0 (e2e)",
  ]);
  assert.equal(site.visitsOf("/form")[0]?.headers["user-agent"], "Tester/1.0 (e2e)");
});

Deno.test("--blocked-origins keeps pages from an origin", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: ["--blocked-origins", site.origin] });
  assert.match(
    (await run.callFailing("browser_navigate", { url: site.url("/") })).text,
    /ERR_BLOCKED_BY_CLIENT/,
  );
  assert.deepEqual(site.visits, []);
});

Deno.test("--proxy-server sends the browser through a proxy", async () => {
  await using proxy = new LoopbackSite({ "/elsewhere": "<title>Through the proxy</title>" });
  await using run = await BrowserRun.start({ args: ["--proxy-server", proxy.origin] });
  const { text } = await run.navigate("http://site.example/elsewhere");
  assert.ok(text.includes("- Page Title: Through the proxy"), text);
  assert.equal(proxy.visitsOf("/elsewhere")[0]?.headers["host"], "site.example");
});

Deno.test("--browser-engine playwright runs an executable of --executable-path as Playwright would", async () => {
  const path = await testBrowserPath();
  const args = ["--browser-engine", "playwright", "--executable-path", path, "--no-sandbox"];
  const found = await browserArguments({ browser: false, args });
  assert.ok(!found.some((arg) => arg.startsWith("--fingerprint")), found.join(" "));
  assert.ok(found.includes("--enable-unsafe-swiftshader"), "Playwright's own default");
  assert.ok(found.includes("--headless"));
});

Deno.test("--cdp-endpoint drives a browser that runs already, and leaves it running", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  await using browser = await StandaloneBrowser.start(`${folder.path}/standalone`);
  {
    await using run = await BrowserRun.start({ args: ["--cdp-endpoint", browser.endpoint] });
    const { text } = await run.navigate(site.url("/click"));
    assert.ok(text.includes("- Page Title: Click"), text);
    await run.click('button "Clicked 0 times"');
    assert.equal(await run.evaluate("count.textContent"), "Clicked 1 times");
    const report = await run.report("cloakbrowser_binary_info");
    assert.match(report.note, /attaches to a browser, as --cdp-endpoint says/);
    assert.equal(run.tree.record().length, 2, "bridge and upstream, no browser of ours");
  }
  assert.ok(browser.running, "it is not ours to end");
  assert.match((await browser.version()).Browser, /Chrom/);
});

Deno.test("a TMPDIR as long as that of macOS leaves room for the browser, and nothing is left there", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  const temporary = `${folder.temporary}/var/folders/x1/0123456789abcdefgh/T`;
  await Deno.mkdir(temporary, { recursive: true });
  const before = folder.temporaryEntries();
  {
    await using run = await BrowserRun.start({ env: { TMPDIR: temporary } });
    await run.navigate(site.url("/form"));
    await run.call("browser_take_screenshot", { scale: "css" });
  }
  assert.deepEqual(folder.temporaryEntries().filter((path) => !path.endsWith(".cache")), before);
});
