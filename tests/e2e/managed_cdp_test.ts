/** The second way into a session's browser: the same pages, one capability for each generation, and nothing beyond it. */
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import type { Message } from "../harness/json_rpc_inbox.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { bridgeCommand } from "../harness/target.ts";
import { until } from "../harness/until.ts";
import { RawWebSocket } from "../harness/raw_websocket.ts";
import { BrowserRun, ENDS_WITHIN_MS } from "./browser_run.ts";
import { cdpOf, CHANGES_WITHIN_MS, closeOf, devTools, inState, statusOf } from "./cdp_user.ts";

/** Below the ports that systems give out by themselves; a port that is taken is passed over. */
const RANGE = "19300-19349";
const CDP = ["--cdp-enabled", "--cdp-port-range", RANGE];

Deno.test("the address is there without a call, and MCP and Playwright work in one page", async (t) => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: CDP });
  const first = await inState(run, "ready");
  assert.deepEqual([first.enabled, first.generation, first.bindHost, first.advertisedHost], [
    true,
    1,
    "127.0.0.1",
    null,
  ]);
  assert.match(
    first.discoveryUrl,
    new RegExp(`^http://127\\.0\\.0\\.1:${first.port}/cdp/[A-Za-z0-9_-]{43}$`),
  );
  await run.navigate(site.url("/"));
  const browser = await chromium.connectOverCDP(first.discoveryUrl);
  try {
    const [page] = browser.contexts()[0]?.pages() ?? [];
    assert.ok(page, "the page of MCP");
    await t.step("Playwright sees the page of MCP", () => assert.equal(page.url(), site.url("/")));
    await t.step("MCP sees what Playwright did", async () => {
      await page.evaluate("document.title = 'written over CDP'");
      assert.equal(await run.evaluate("document.title"), "written over CDP");
    });
    await t.step("the client counts as a connection", async () => {
      assert.equal((await cdpOf(run)).activeConnections, 1);
    });
  } finally {
    await browser.close();
  }
  await t.step("a client that leaves ends nothing", async () => {
    await until("no connection", async () => (await cdpOf(run)).activeConnections === 0, CHANGES_WITHIN_MS);
    assert.equal((await cdpOf(run)).discoveryUrl, first.discoveryUrl);
  });
  await t.step("the capability is in no log", () => {
    assert.ok(!run.client.stderrText.includes(first.discoveryUrl.split("/").at(-1)));
  });
  await t.step("closing the last page is no loss", async () => {
    const socket = await devTools(first.discoveryUrl);
    const list: Message[] = await (await fetch(`${first.discoveryUrl}/json/list`)).json();
    for (const { id } of list.filter(({ type }) => type === "page")) {
      assert.equal(await statusOf(`${first.discoveryUrl}/json/close/${id}`), 200);
    }
    await until("MCP has a new page", async () => {
      const { isError, text } = await run.callAnyhow("browser_tabs", { action: "list" });
      return !isError && text.includes("about:blank");
    }, CHANGES_WITHIN_MS);
    await run.navigate(site.url("/second"));
    assert.equal((await cdpOf(run)).discoveryUrl, first.discoveryUrl);
    const closed = closeOf(socket);
    socket.close();
    await closed;
  });
});

const LOSSES: Readonly<Record<string, (run: BrowserRun, cdp: Message) => Promise<void>>> = {
  "browser_close": async (run) => void await run.call("browser_close"),
  "Browser.close over CDP": async (_run, { discoveryUrl }) => {
    const socket = await devTools(discoveryUrl);
    const closed = closeOf(socket);
    socket.send(JSON.stringify({ id: 1, method: "Browser.close" }));
    await closed;
  },
  "kill -9 of the browser": (run) => {
    Deno.kill(run.browser().pid, "SIGKILL");
    return Promise.resolve();
  },
  "kill -9 of upstream": async (run) => {
    Deno.kill((await run.report("cloakbrowser_bridge_info")).upstream.pid, "SIGKILL");
  },
};

for (const [title, lose] of Object.entries(LOSSES)) {
  Deno.test(`${title} ends the capability; the next call brings a browser with another, at the same port`, async () => {
    await using site = new LoopbackSite();
    await using run = await BrowserRun.start({ args: CDP });
    const old = await inState(run, "ready");
    run.tree.record();
    const client = await devTools(old.discoveryUrl);
    const closed = closeOf(client);
    await lose(run, old);
    const lost = await inState(run, "unavailable");
    assert.deepEqual([lost.generation, lost.discoveryUrl, lost.activeConnections], [1, null, 0]);
    assert.ok([1001, 1006].includes(await closed), "the client is sent away");
    assert.equal(await statusOf(`${old.discoveryUrl}/json/version`), 404);

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        const visit = `() => fetch("${
          site.url("/api/data")
        }?call=${index}", { mode: "no-cors" }).then(() => 'here')`;
        return run.callAnyhow("browser_evaluate", { function: visit });
      }),
    );
    assert.deepEqual(answers.map(({ isError }) => isError), Array(10).fill(false), answers[0]?.text);
    assert.equal(site.visitsOf("/api/data").length, 10, "each call reached the browser once");
    assert.ok((await run.navigate(site.url("/"))).text.includes("- Page Title:"));
    const fresh = await cdpOf(run);
    assert.deepEqual(
      [fresh.state, fresh.generation, fresh.port],
      ["ready", 2, old.port],
      "one restart for all",
    );
    assert.notEqual(fresh.discoveryUrl, old.discoveryUrl);
    assert.equal(await statusOf(`${fresh.discoveryUrl}/json/version`), 200);
    assert.equal(await statusOf(`${old.discoveryUrl}/json/version`), 404);
  });
}

Deno.test("an address of IPv6 connects as it stands", async () => {
  await using run = await BrowserRun.start({ args: [...CDP, "--cdp-host", "::1"] });
  const { discoveryUrl, port } = await inState(run, "ready");
  assert.ok(discoveryUrl.startsWith(`http://[::1]:${port}/cdp/`), "in brackets");
  const socket = await devTools(discoveryUrl);
  const closed = closeOf(socket);
  socket.close();
  await closed;
});

Deno.test("a client that stops reading in the middle of megabytes does not hold up the end", async () => {
  await using run = await BrowserRun.start({ args: CDP });
  const { discoveryUrl } = await inState(run, "ready");
  run.tree.record();
  const targets = await (await fetch(`${discoveryUrl}/json/list`)).json();
  const page = targets.find(({ type }: { type: string }) => type === "page").webSocketDebuggerUrl;
  using deaf = await RawWebSocket.open(page);
  const params = { expression: "'z'.repeat(20 << 20)", returnByValue: true };
  for (const id of [1, 2, 3]) {
    await deaf.sendText(JSON.stringify({ id, method: "Runtime.evaluate", params }));
  }
  using other = await RawWebSocket.open(page);
  await other.command(4, "Runtime.evaluate", { expression: "1" });
  run.client.signal("SIGTERM");
  assert.equal((await run.client.exit(ENDS_WITHIN_MS)).code, 0);
  assert.deepEqual(run.folder.temporaryEntries(), []);
});

Deno.test("without managed CDP the browser listens on no port", async () => {
  await using run = await BrowserRun.start({ args: ["--cdp-port-range", RANGE] });
  await run.navigate("about:blank");
  assert.deepEqual(await cdpOf(run), { enabled: false });
  assert.ok(!run.browser().args.some((arg) => arg.startsWith("--remote-debugging-port")));
});

Deno.test("whatever leaves no DevTools of ours is refused by name", async () => {
  const conflicts: readonly (readonly [args: readonly string[], named: RegExp])[] = [
    [["--extra-args=--remote-debugging-port=9222"], /conflicts with --remote-debugging-port/],
    [["--extra-args=--remote-allow-origins=*"], /conflicts with --remote-allow-origins/],
    [["--cdp-endpoint=http://127.0.0.1:9"], /conflicts with --cdp-endpoint/],
  ];
  for (const [args, named] of conflicts) {
    const { command, args: first } = bridgeCommand();
    const { code, stderr } = await new Deno.Command(command, {
      args: [...first, ...CDP, ...args],
      stdin: "null",
    }).output();
    assert.equal(code, 2);
    assert.match(new TextDecoder().decode(stderr), named);
  }
});

Deno.test("a read-only address lets clients watch and nothing else", async () => {
  await using run = await BrowserRun.start({ args: [...CDP, "--cdp-read-only"] });
  const { discoveryUrl } = await inState(run, "ready");
  const socket = await devTools(discoveryUrl);
  const answers = new Map<number, Message>();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    answers.set(message.id, message);
  };
  socket.send(JSON.stringify({ id: 1, method: "Browser.getVersion" }));
  socket.send(JSON.stringify({ id: 2, method: "Browser.close" }));
  socket.send(JSON.stringify({ id: 3, method: "Target.createTarget", params: { url: "about:blank" } }));
  await until("three answers", () => answers.size === 3, CHANGES_WITHIN_MS);
  assert.ok(answers.get(1)?.result.product);
  for (const id of [2, 3]) assert.match(answers.get(id)?.error.message, /is not allowed/);
  const closed = closeOf(socket);
  socket.close();
  await closed;
  assert.equal((await cdpOf(run)).state, "ready");
});
