/** The endpoint in front of a real browser: what clients of CDP can do through it. */
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { fileURLToPath } from "node:url";
import { EndpointRun } from "../cdp/endpoint_run.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { countOpenFiles, readMemory } from "../harness/proc_stat.ts";
import { RawWebSocket } from "../harness/raw_websocket.ts";
import { rawRequest } from "../harness/raw_http.ts";
import { until } from "../harness/until.ts";
import { StandaloneBrowser } from "./standalone_browser.ts";

const MIB = 1024 * 1024;
const PUPPETEER = "npm:puppeteer-core@24.43.1";

interface Setting extends AsyncDisposable {
  readonly browser: StandaloneBrowser;
  readonly run: EndpointRun;
  /** Chromium's own port. */
  readonly port: number;
}

async function browserBehindEndpoint(options = {}): Promise<Setting> {
  const profile = await Deno.makeTempDir({ prefix: "cdp-endpoint-" });
  const browser = await StandaloneBrowser.start(profile);
  const port = Number(new URL(browser.endpoint).port);
  const run = EndpointRun.to(port, options);
  return {
    browser,
    run,
    port,
    async [Symbol.asyncDispose](): Promise<void> {
      await run[Symbol.asyncDispose]();
      await browser[Symbol.asyncDispose]();
      await Deno.remove(profile, { recursive: true });
    },
  };
}

function modulePath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

Deno.test("CdpEndpoint lets Playwright connect by discovery address and by socket address", async () => {
  await using site = new LoopbackSite();
  await using setting = await browserBehindEndpoint();
  const { run } = setting;
  for (const address of [run.url(), run.url("/"), run.socketUrl()]) {
    const browser = await chromium.connectOverCDP(address);
    const [context] = browser.contexts();
    assert.ok(context);
    const page = await context.newPage();
    await page.goto(site.url("/second"));
    assert.equal(await page.evaluate("6 * 7"), 42);
    assert.ok((await page.screenshot()).length > 1000);
    await page.close();
    await browser.close();
    await until("the tunnel ends", () => run.endpoint.activeConnections === 0, 5_000);
  }
  assert.ok(setting.browser.running);
  assert.ok(run.traffic > 0);
  assert.ok(!run.log.some((line) => line.includes(run.capability)));
});

Deno.test("CdpEndpoint lets Puppeteer connect by the socket address of discovery and by the capability", async () => {
  await using site = new LoopbackSite();
  await using setting = await browserBehindEndpoint();
  const { run } = setting;
  const version = await (await fetch(run.url("/json/version"))).json();
  for (const browserWSEndpoint of [version.webSocketDebuggerUrl, run.socketUrl()]) {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--config", modulePath("puppeteer/client.json"), "--allow-all", "--quiet"],
        ...[modulePath("puppeteer/client.ts"), PUPPETEER, browserWSEndpoint, site.url("/second")],
      ],
    }).output();
    const result = new TextDecoder().decode(stdout);
    assert.equal(JSON.parse(result || "{}").product, 42, result + new TextDecoder().decode(stderr));
    await until("the tunnel ends", () => run.endpoint.activeConnections === 0, 5_000);
  }
  assert.ok(setting.browser.running);
});

Deno.test("CdpEndpoint shows addresses that connect as they stand, for every type of target", async () => {
  const pages: Record<string, string> = {};
  await using site = new LoopbackSite(pages);
  // Of another site than its page, so that the frame is a target of its own.
  const frame = site.url("/second").replace("127.0.0.1", "localhost");
  pages["/frames"] = `<iframe src="${frame}"></iframe><script>
    globalThis.worker = new Worker(URL.createObjectURL(new Blob(["self.answer = 42; setInterval(() => {}, 1e6)"])));
    </script>`;
  await using setting = await browserBehindEndpoint();
  const { run, port } = setting;
  const created = await fetch(run.url(`/json/new?${encodeURIComponent(site.url("/frames"))}`), {
    method: "PUT",
  });
  const { id } = await created.json();
  const types = new Set<string>();
  await until("page, frame and worker answer", async () => {
    const response = await fetch(run.url("/json/list/"));
    const body = await response.text();
    assert.ok(!body.includes(`:${port}/`), body);
    const targets = JSON.parse(body);
    for (const target of targets) {
      assert.ok(target.webSocketDebuggerUrl.startsWith(run.socketUrl("/devtools/page/")));
      assert.ok(!("devtoolsFrontendUrl" in target));
      const own = target.type === "worker" || target.url === frame || target.id === id;
      if (!own || types.has(target.type)) continue;
      if (await answers(target).catch(() => false)) types.add(target.type);
    }
    return types.size === 3;
  }, 15_000);
  assert.deepEqual(Array.from(types).toSorted(), ["iframe", "page", "worker"]);
  using pageSocket = await RawWebSocket.open(run.socketUrl(`/devtools/page/${id}`));
  const attach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true };
  await pageSocket.sendText(JSON.stringify({ id: 1, method: "Target.setAutoAttach", params: attach }));
  let attached = JSON.parse(await pageSocket.text());
  while (attached.params?.targetInfo?.type !== "worker") attached = JSON.parse(await pageSocket.text());
  assert.equal(await evaluated(pageSocket, "self.answer", attached.params.sessionId), 42);
  using browserSocket = await RawWebSocket.open(run.socketUrl());
  assert.equal((await browserSocket.command(1, "Browser.getVersion")).result.protocolVersion, "1.3");
  assert.equal(await (await fetch(run.url(`/json/activate/${id}/`))).text(), "Target activated");
  assert.equal(await (await fetch(run.url(`/json/close/${id}`))).text(), "Target is closing");
  const protocol = await (await fetch(run.url("/json/protocol"))).json();
  assert.ok(protocol.domains.length > 40);
});

/**
 * @throws {Error} where the target is gone: that of a frame is replaced when the frame goes to another site,
 * perhaps after it was listed
 */
async function answers(target: { type: string; webSocketDebuggerUrl: string }): Promise<boolean> {
  using socket = await RawWebSocket.open(target.webSocketDebuggerUrl);
  // Chromium takes sockets of dedicated workers, but lets them be driven through their page only.
  return target.type === "worker" || await evaluated(socket, "6 * 7") === 42;
}

async function evaluated(socket: RawWebSocket, expression: string, sessionId?: string): Promise<unknown> {
  const answer = await socket.command(9, "Runtime.evaluate", { expression }, sessionId);
  return answer.result?.result?.value;
}

Deno.test("CdpEndpoint keeps the page that knows the exact address out", async () => {
  await using site = new LoopbackSite();
  await using setting = await browserBehindEndpoint();
  const { run } = setting;
  const { id } = await (await fetch(run.url(`/json/new?${site.url("/second")}`), { method: "PUT" })).json();
  using socket = await RawWebSocket.open(run.socketUrl(`/devtools/page/${id}`));
  await until("the page is there", async () => {
    const answer = await socket.command(1, "Runtime.evaluate", { expression: "location.origin" });
    return answer.result.result.value === site.origin;
  }, 10_000);
  const expression = `new Promise((resolve) => {
    const socket = new WebSocket(${JSON.stringify(run.socketUrl())});
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("error");
  })`;
  const answer = await socket.command(2, "Runtime.evaluate", { expression, awaitPromise: true });
  assert.equal(answer.result.result.value, "error");
  const image = `new Promise((resolve) => {
    const image = new Image();
    image.onerror = () => resolve("refused");
    image.src = ${JSON.stringify(run.url(`/json/close/${id}`))};
  })`;
  assert.equal(
    (await socket.command(3, "Runtime.evaluate", { expression: image, awaitPromise: true })).result.result
      .value,
    "refused",
  );
  assert.ok(
    (await (await fetch(run.url("/json/list"))).json()).some((target: { id: string }) => target.id === id),
  );
});

Deno.test("CdpEndpoint carries messages of 65, 130 and 90 MiB without keeping them", async () => {
  await using setting = await browserBehindEndpoint();
  const { run } = setting;
  const targets = await (await fetch(run.url("/json/list"))).json();
  const page = targets.find((target: { type: string }) => target.type === "page");
  using socket = await RawWebSocket.open(page.webSocketDebuggerUrl);
  let id = 0;
  for (const size of [65, 130]) {
    const expression = `"x".repeat(${size * MIB})`;
    await socket.sendText(
      JSON.stringify({ id: ++id, method: "Runtime.evaluate", params: { expression, returnByValue: true } }),
    );
    const before = readMemory(Deno.pid)?.residentBytes ?? 0;
    const message = await socket.message(60_000);
    const after = readMemory(Deno.pid)?.residentBytes ?? 0;
    assert.ok(message);
    assert.ok(message.payload.length > size * MIB);
    const start = new TextDecoder().decode(message.payload.subarray(0, 100));
    assert.ok(start.startsWith(`{"id":${id},"result":{"result":{"type":"string","value":"xxx`), start);
    const block = Buffer.alloc(MIB, "x");
    for (let at = 200; at + MIB < size * MIB; at += MIB) {
      assert.ok(block.equals(message.payload.subarray(at, at + MIB)), `difference after ${at} bytes`);
    }
    // The client of the test holds the message once; what comes on top would be the endpoint's.
    assert.ok(
      after - before < (size + 40) * MIB,
      `${Math.round((after - before) / MIB)} MiB for ${size} MiB`,
    );
  }
  const expression = `"${"y".repeat(90 * MIB)}".length`;
  await socket.sendText(JSON.stringify({ id: ++id, method: "Runtime.evaluate", params: { expression } }));
  const answer = await socket.message(60_000);
  assert.equal(JSON.parse(new TextDecoder().decode(answer?.payload)).result.result.value, 90 * MIB);
});

Deno.test("CdpEndpoint closes its clients within a second when the browser is killed", async () => {
  const files = countOpenFiles(Deno.pid);
  {
    await using setting = await browserBehindEndpoint();
    const { run, browser } = setting;
    using socket = await RawWebSocket.open(run.socketUrl());
    await socket.command(1, "Browser.getVersion");
    browser.kill();
    const from = performance.now();
    assert.equal(await socket.closeCode(5_000), 1001);
    assert.ok(performance.now() - from < 1_000);
    assert.equal(run.endpoint.activeConnections, 0);
    assert.equal((await rawRequest(run.port, `GET ${run.path("/json/version")}`, [run.host])).status, 502);
  }
  await until("no socket is left", () => countOpenFiles(Deno.pid) === files, 5_000);
});

Deno.test("CdpEndpoint ends its tunnels when a client closes the browser, and the address is dead when told", async () => {
  await using setting = await browserBehindEndpoint();
  const { run, browser } = setting;
  using closer = await RawWebSocket.open(run.socketUrl());
  using other = await RawWebSocket.open(run.socketUrl());
  await closer.sendText(JSON.stringify({ id: 1, method: "Browser.close" }));
  assert.equal(JSON.parse(await closer.text()).id, 1);
  assert.notEqual(await other.closeCode(10_000), 1006);
  await until("the browser is gone", () => !browser.running, 10_000);
  run.endpoint.invalidate();
  assert.equal(run.endpoint.discoveryUrl(), undefined);
  assert.equal((await rawRequest(run.port, `GET ${run.path("/json/version")}`, [run.host])).status, 404);
  const refused = await RawWebSocket.try(run.socketUrl());
  assert.equal("status" in refused ? refused.status : 101, 404);
});

Deno.test("CdpEndpoint takes a hundred connections at once: eight tunnels, and a clear answer for the others", async () => {
  const files = countOpenFiles(Deno.pid);
  {
    await using setting = await browserBehindEndpoint();
    const { run } = setting;
    const opened = await Promise.all(Array.from({ length: 100 }, () => RawWebSocket.try(run.socketUrl())));
    const sockets = opened.filter((each) => each instanceof RawWebSocket);
    const refused = opened.filter((each) => !(each instanceof RawWebSocket));
    assert.equal(sockets.length, 8);
    assert.ok(refused.every((each) => "status" in each && each.status === 503));
    assert.equal(run.endpoint.activeConnections, 8);
    for (const [index, socket] of sockets.entries()) {
      assert.ok((await socket.command(index, "Browser.getVersion")).result);
      socket[Symbol.dispose]();
    }
    await until("the tunnels end", () => run.endpoint.activeConnections === 0, 5_000);
  }
  await until("no socket is left", () => countOpenFiles(Deno.pid) === files, 5_000);
});

Deno.test("CdpEndpoint refuses methods that are denied, and passes the others", async () => {
  await using setting = await browserBehindEndpoint({ denied: ["Browser.close", "Target.createTarget"] });
  const { run, browser } = setting;
  using socket = await RawWebSocket.open(run.socketUrl());
  assert.equal((await socket.command(1, "Browser.close")).error.code, -32000);
  assert.equal((await socket.command(2, "Browser.getVersion")).result.protocolVersion, "1.3");
  const response = await fetch(run.url("/json/new?about:blank"), { method: "PUT" });
  await response.body?.cancel();
  assert.equal(response.status, 403);
  const client = await chromium.connectOverCDP(run.url());
  await assert.rejects(client.contexts()[0]?.newPage() ?? Promise.resolve(), /not allowed/);
  await client.close();
  assert.ok(browser.running);
});
