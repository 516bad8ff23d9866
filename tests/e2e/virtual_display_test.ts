/** Browsers with a window on a machine without a display. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { bridgeCommand } from "../harness/target.ts";
import { initializeParams } from "../harness/http_client.ts";
import { until } from "../harness/until.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun } from "./browser_run.ts";
import { HttpBrowserRun, type HttpUser, NOTHING_LEFT_WITHIN_MS } from "./http_browser_run.ts";

const WINDOW = ["--no-headless"];

/** A path on which there is no Xvfb. */
const NO_XVFB = { PATH: "/nowhere", DISPLAY: "", WAYLAND_DISPLAY: "" };
const NO_DISPLAY = { DISPLAY: "", WAYLAND_DISPLAY: "" };

function displaysOf(run: { readonly tree: BrowserRun["tree"] }): number[] {
  run.tree.record();
  return run.tree.running().filter(({ name }) => name === "Xvfb").map(({ pid }) => pid);
}

Deno.test("a browser with a window gets a display of its own, which goes with it", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: WINDOW, env: NO_DISPLAY });
  await run.navigate(site.url("/form"));
  assert.ok(!run.browser().args.some((arg) => arg.startsWith("--headless")));
  assert.equal(displaysOf(run).length, 1);
  const { outerWidth, userAgent } = await run.evaluate("({ outerWidth, userAgent: navigator.userAgent })");
  assert.ok(outerWidth > 0);
  assert.ok(!userAgent.includes("Headless"), userAgent);
  assert.equal((await run.call("browser_take_screenshot")).images.length, 1);
});

Deno.test("a server that is killed takes its display with it", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: WINDOW, env: NO_DISPLAY });
  await run.navigate(site.url("/form"));
  assert.equal(displaysOf(run).length, 1);
  run.leavesTemporaryFiles = true;
  run.client.signal("SIGKILL");
  await run.client.exit(NOTHING_LEFT_WITHIN_MS);
});

Deno.test("a browser whose display was killed is lost, and the next call brings both", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: WINDOW, env: NO_DISPLAY });
  await run.navigate(site.url("/form"));
  const [display] = displaysOf(run);
  assert.ok(display);
  Deno.kill(display, "SIGKILL");
  await until("a call works", async () => {
    const { isError } = await run.callAnyhow("browser_navigate", { url: site.url("/second") });
    return !isError;
  }, NOTHING_LEFT_WITHIN_MS);
  const [another, ...others] = displaysOf(run);
  assert.ok(another !== undefined && another !== display);
  assert.deepEqual(others, []);
});

Deno.test("sessions over HTTP that want a window share one display, from the first to the last", async () => {
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start({ env: NO_DISPLAY });
  const plain = await run.open();
  await plain.navigate(site.url("/form"));
  assert.deepEqual(displaysOf(run.http), []);
  const users: HttpUser[] = [];
  for (const _ of [1, 2]) users.push(await run.open({ headless: false }));
  await Promise.all(users.map((user) => user.navigate(site.url("/form"))));
  const [display, ...others] = displaysOf(run.http);
  assert.ok(display);
  assert.deepEqual(others, []);
  await users[0]?.end();
  assert.deepEqual(displaysOf(run.http), [display]);
  await users[1]?.end();
  await until("no display", () => displaysOf(run.http).length === 0, NOTHING_LEFT_WITHIN_MS);
});

Deno.test("without Xvfb a browser with a window is refused, and the package is named", async (t) => {
  const named = /no Xvfb|Xvfb is not installed.*package xvfb/s;
  await t.step("over stdio at the start", async () => {
    using folder = new BrowserFolder();
    const { command, args } = bridgeCommand();
    const { code, stderr } = await new Deno.Command(command, {
      args: [...args, ...WINDOW, "--binary-path", "/bin/true"],
      env: { ...folder.environment, ...NO_XVFB },
      cwd: folder.work,
      stdin: "null",
    }).output();
    assert.equal(code, 2);
    assert.match(new TextDecoder().decode(stderr), named);
    assert.deepEqual(folder.temporaryEntries(), []);
  });
  await t.step("over HTTP as a session that cannot be opened", async () => {
    await using run = await HttpBrowserRun.start({ env: NO_XVFB });
    const response = await run.http.client().post({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: initializeParams({ _meta: { cloakbrowser: { headless: false } } }),
    });
    assert.equal(response.status, 400);
    assert.match((await response.json()).error.message, named);
  });
  await t.step("--virtual-display never leaves it to the browser", async () => {
    await using run = await BrowserRun.start({
      args: [...WINDOW, "--virtual-display", "never"],
      env: NO_DISPLAY,
    });
    const { text } = await run.callFailing("browser_navigate", { url: "about:blank" });
    assert.match(text, /display|X server/i);
    assert.deepEqual(displaysOf(run), []);
  });
});
