/** What pages say on the console, with a browser that tells it and with one that does not. */
import assert from "node:assert/strict";
import { pageHtml } from "../harness/loopback_pages.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun } from "./browser_run.ts";
import { muteBrowser } from "./mute_browser.ts";

const TALK = `<p>Talk</p><script>
  console.debug("a debug"); console.log("a log", 1, true, null, undefined, { secret: 1 }, [1], new Error("inside"));
  console.info("an info"); console.warn("a warning"); console.error("an error");
</script>`;

const PAGES = {
  "/talk": pageHtml("Talk", TALK),
  "/quiet": pageHtml("Quiet", "<p>Quiet</p>"),
  "/framed": pageHtml("Framed", '<iframe src="/talk"></iframe>'),
  "/flood": pageHtml(
    "Flood",
    `<script>for (let n = 0; n < 1500; n++) console.log("n" + n); console.log("x".repeat(50000));</script>`,
  ),
  "/dialog-talk": pageHtml(
    "Dialog",
    `<button onclick="console.log('before'); window.alert('Stop'); console.log('after')">Ask</button>`,
  ),
  "/suspicious": pageHtml(
    "Suspicious",
    `<script>
  const noticed = [];
  const bait = new Proxy({}, { get: (_, name) => { noticed.push(String(name)); },
    ownKeys: () => { noticed.push("ownKeys"); return []; },
    getPrototypeOf: () => { noticed.push("prototype"); return null; },
    getOwnPropertyDescriptor: () => { noticed.push("descriptor"); } });
  Error.prepareStackTrace = () => { noticed.push("stack"); return ""; };
  const error = new Error("bait");
  Object.defineProperty(error, "stack", { get: () => { noticed.push("stack"); return ""; } });
  console.log(bait, error, { toString: () => { noticed.push("toString"); return ""; } });
  const functions = [console.log, console.warn, Function.prototype.toString];
  window.looks = {
    noticed,
    texts: functions.map((each) => Function.prototype.toString.call(each)),
    names: functions.map((each) => each.name + each.length),
    own: functions.map((each) => Object.getOwnPropertyNames(each).sort().join()),
    same: Function.prototype.toString === Function.prototype.toString && !("prototype" in console.log),
    added: Object.keys(console).length,
  };
</script>`,
  ),
};

type Level = "error" | "warning" | "info" | "debug";

/** Messages without their counts and places, in order. */
async function messages(run: BrowserRun, level: Level, more = {}): Promise<string[]> {
  const text = (await run.call("browser_console_messages", { level, ...more })).section("Result");
  return text.split("\n").filter((line) => line.startsWith("[")).map((line) => line.replace(/ @ \S*$/, ""));
}

const BY_LEVEL: Readonly<Record<Level, readonly string[]>> = {
  error: ["[ERROR] an error"],
  warning: ["[WARNING] a warning", "[ERROR] an error"],
  info: ["[LOG] a log", "[INFO] an info", "[WARNING] a warning", "[ERROR] an error"],
  debug: ["[DEBUG] a debug", "[LOG] a log", "[INFO] an info", "[WARNING] a warning", "[ERROR] an error"],
};

/** Every level has its messages, each once. */
async function assertLevels(run: BrowserRun): Promise<void> {
  for (const level of ["error", "warning", "info", "debug"] as const) {
    const said = (await messages(run, level)).map((line) => line.replace(/a log.*/, "a log"));
    assert.deepEqual(said, BY_LEVEL[level]);
  }
}

Deno.test("console messages of a browser that tells them come as they are, with the fallback and without", async () => {
  await using site = new LoopbackSite(PAGES);
  const natively = async (fallback: boolean): Promise<string> => {
    await using run = await BrowserRun.start({
      args: fallback ? ["--console-level", "debug"] : ["--no-console-fallback", "--console-level", "debug"],
    });
    const first = await run.call("browser_tabs", { action: "list" });
    assert.ok(!/DEBUG|Events/.test(first.text), first.text);
    await run.navigate(site.url("/talk"));
    await assertLevels(run);
    const { consoleFallback } = await run.report("cloakbrowser_bridge_info");
    assert.deepEqual(
      consoleFallback,
      fallback
        ? { enabled: true, active: false, reason: "the browser reports console messages itself" }
        : { enabled: false, active: false },
    );
    return (await run.call("browser_console_messages", { level: "debug", all: true })).section("Result");
  };
  assert.equal(await natively(true), await natively(false));
});

Deno.test("console messages of a mute browser come from the page", async (t) => {
  await using site = new LoopbackSite(PAGES);
  using folder = new BrowserFolder();
  await using run = await BrowserRun.start({
    folder,
    env: { CLOAKBROWSER_BINARY_PATH: await muteBrowser(folder) },
  });
  await run.navigate(site.url("/talk"));
  await assertLevels(run);
  assert.deepEqual((await run.report("cloakbrowser_bridge_info")).consoleFallback, {
    enabled: true,
    active: true,
    reason: "the browser reports no console messages",
  });
  assert.equal(
    (await messages(run, "info"))[0],
    "[LOG] a log 1 true null undefined Object Array Error: inside",
  );
  await t.step("counted, and with the address of the page", async () => {
    const { text } = await run.call("browser_console_messages", { level: "error" });
    assert.match(text, /Total messages: 5 \(Errors: 1, Warnings: 1\)/);
    assert.ok(text.includes(`[ERROR] an error @ ${site.url("/talk")}:0`), text);
  });
  await t.step("those of earlier pages only when all are asked for", async () => {
    await run.navigate(site.url("/quiet"));
    assert.deepEqual(await messages(run, "debug"), []);
    assert.equal((await messages(run, "debug", { all: true })).length, 5);
  });
  await t.step("those of frames as well", async () => {
    await run.navigate(site.url("/framed"));
    await assertLevels(run);
  });
  await t.step("those of a new tab as well", async () => {
    await run.call("browser_tabs", { action: "new" });
    await run.navigate(site.url("/talk"));
    await assertLevels(run);
  });
  await t.step("as many as are kept, each as long as may be", async () => {
    await run.navigate(site.url("/flood"));
    const said = await messages(run, "info");
    assert.equal(said.length, 1000);
    assert.equal(said[0], "[LOG] n501");
    assert.equal(said.at(-1), `[LOG] ${"x".repeat(10_000)}`);
  });
  await t.step("a dialog does not hold up the calls", async () => {
    await run.navigate(site.url("/dialog-talk"));
    assert.ok((await run.click('button "Ask"')).text.includes("Stop"));
    await run.call("browser_handle_dialog", { accept: true });
    assert.deepEqual(await messages(run, "info"), ["[LOG] before", "[LOG] after"]);
  });
  await t.step("the page does not notice", async () => {
    await run.navigate(site.url("/suspicious"));
    const looks = await run.evaluate("looks");
    assert.deepEqual(looks.noticed, []);
    assert.deepEqual(
      looks.texts,
      ["log", "warn", "toString"].map((name) => `function ${name}() { [native code] }`),
    );
    assert.deepEqual(looks.names, ["log0", "warn0", "toString0"]);
    assert.deepEqual(looks.own, Array(3).fill("length,name"));
    assert.equal(looks.same, true);
    assert.deepEqual(await messages(run, "info"), ["[LOG] Object Error: bait Object"]);
  });
});

Deno.test("a mute browser stays mute with --no-console-fallback", async () => {
  await using site = new LoopbackSite(PAGES);
  using folder = new BrowserFolder();
  await using run = await BrowserRun.start({
    folder,
    args: ["--no-console-fallback"],
    env: { CLOAKBROWSER_BINARY_PATH: await muteBrowser(folder) },
  });
  await run.navigate(site.url("/talk"));
  assert.deepEqual(await messages(run, "debug"), []);
});
