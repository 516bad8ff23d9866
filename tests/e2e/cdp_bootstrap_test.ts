/** The proof that MCP and DevTools reach the same browser, and what becomes of one that fails. */
import assert from "node:assert/strict";
import { DevToolsSocket } from "../../src/cdp/devtools_socket.ts";
import { CdpEndpoint } from "../../src/cdp/endpoint.ts";
import { type DrivenBrowser, ManagedCdp } from "../../src/cdp/managed_cdp.ts";
import { PortPool } from "../../src/cdp/port_pool.ts";
import { AppError } from "../../src/errors.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { passed, until } from "../harness/until.ts";
import { StandaloneBrowser } from "./standalone_browser.ts";

const log = createLogger({ level: "silent", format: "text", write: () => {} });
const CHANGES_WITHIN_MS = 10_000;

interface Setting extends AsyncDisposable {
  readonly cdp: ManagedCdp;
  readonly endpoint: CdpEndpoint;
  readonly lost: number[];
}

function newSetting(bootstrapTimeoutMs: number): Setting {
  const listen = (): Deno.TcpListener => Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const lease = new PortPool({ range: { first: 1, last: 1 }, listen }).lease();
  const endpoint = new CdpEndpoint({
    listener: lease.listener,
    advertised: { scheme: "http", host: "127.0.0.1", port: (lease.listener.addr as Deno.NetAddr).port },
    limits: {
      maxConnections: 8,
      maxHttpRequests: 16,
      maxMessageBytes: 0,
      maxHeaderBytes: 16_384,
      requestTimeoutMs: 5_000,
    },
    denied: [],
    onTraffic: () => {},
    log,
    now: () => performance.now(),
  });
  const lost: number[] = [];
  const cdp = new ManagedCdp({
    endpoint,
    lease,
    bindHost: "127.0.0.1",
    advertisedHost: undefined,
    bootstrapTimeoutMs,
    onChange: () => {},
    onLost: (generation) => lost.push(generation),
    log,
  });
  return {
    cdp,
    endpoint,
    lost,
    async [Symbol.asyncDispose](): Promise<void> {
      cdp.stop();
      await cdp.release();
    },
  };
}

/** Stands for MCP: evaluates in the first page of a browser of the test's own. */
function drivenBy(browser: StandaloneBrowser, generation = 1): DrivenBrowser {
  return {
    generation,
    pid: Deno.pid,
    runTool: async (name, args) => {
      if (name !== "browser_evaluate") return;
      const { webSocketDebuggerUrl } = await (await fetch(`${browser.endpoint}/json/version`)).json();
      const socket = await DevToolsSocket.connect(webSocketDebuggerUrl, AbortSignal.timeout(5_000));
      const { targetInfos } = await socket.request("Target.getTargets", {});
      const page = (targetInfos as { type: string; targetId: string }[]).find(({ type }) => type === "page");
      const { sessionId } = await socket.request("Target.attachToTarget", {
        targetId: page?.targetId,
        flatten: true,
      });
      await socket.request("Runtime.evaluate", { expression: `(${args["function"]})()` }, String(sessionId));
      socket.close();
      await socket.closed;
    },
  };
}

async function withBrowser(act: (browser: StandaloneBrowser) => Promise<void>): Promise<void> {
  const profile = await Deno.makeTempDir();
  try {
    await using browser = await StandaloneBrowser.start(profile);
    await act(browser);
  } finally {
    await Deno.remove(profile, { recursive: true });
  }
}

async function failure(work: Promise<void>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "browser_unavailable", String(error));
    return error.message;
  }
  throw new assert.AssertionError({ message: "the proof succeeded" });
}

Deno.test("ManagedCdp publishes a capability for a browser that is proven, and notices its end", async () => {
  await withBrowser(async (browser) => {
    await using setting = newSetting(20_000);
    const { cdp, endpoint } = setting;
    assert.equal(cdp.state, "starting");
    await cdp.prepare(drivenBy(browser, 7));
    const first = endpoint.discoveryUrl();
    assert.ok(first);
    assert.deepEqual([cdp.report().state, cdp.report().generation], ["ready", 7]);
    assert.equal(
      (await fetch(`${first}/json/version`).then((response) => response.json())).Browser.length > 0,
      true,
    );
    await cdp.prepare(drivenBy(browser, 8));
    assert.notEqual(endpoint.discoveryUrl(), first, "each generation has a capability of its own");
    await browser[Symbol.asyncDispose]();
    await until("the loss", () => setting.lost.length > 0, CHANGES_WITHIN_MS);
    assert.deepEqual(setting.lost, [8]);
    assert.deepEqual([cdp.state, endpoint.discoveryUrl()], ["unavailable", undefined]);
  });
});

Deno.test("ManagedCdp publishes nothing where a step fails, and a later try works", async (t) => {
  await withBrowser(async (browser) => {
    const good = drivenBy(browser);
    const failing = (name: string): DrivenBrowser => ({
      ...good,
      runTool: (tool, args) =>
        tool === name ? Promise.reject(new Error(`no ${name}`)) : good.runTool(tool, args),
    });
    for (const tool of ["browser_tabs", "browser_evaluate"]) {
      await t.step(`${tool} fails`, async () => {
        await using setting = newSetting(20_000);
        assert.match(
          await failure(setting.cdp.prepare(failing(tool))),
          new RegExp(`bootstrap failed: no ${tool}`),
        );
        assert.deepEqual([setting.cdp.state, setting.endpoint.discoveryUrl()], ["unavailable", undefined]);
        await setting.cdp.prepare(good);
        assert.equal(setting.cdp.state, "ready");
      });
    }
    await t.step("the secret comes out nowhere: another browser, or none, was told it", async () => {
      await using setting = newSetting(700);
      const deaf: DrivenBrowser = { ...good, runTool: () => Promise.resolve() };
      assert.match(await failure(setting.cdp.prepare(deaf)), /timed out after 700 ms/);
      assert.equal(setting.endpoint.discoveryUrl(), undefined);
    });
    await t.step("a tool that never answers: one deadline for all", async () => {
      await using setting = newSetting(500);
      const silent: DrivenBrowser = { ...good, runTool: () => new Promise(() => {}) };
      assert.match(await failure(setting.cdp.prepare(silent)), /timed out after 500 ms/);
    });
    await t.step("the session ends meanwhile", async () => {
      await using setting = newSetting(20_000);
      const ending = failure(setting.cdp.prepare({ ...good, runTool: () => new Promise(() => {}) }));
      setting.cdp.stop();
      await ending;
      assert.equal(setting.cdp.state, "unavailable");
    });
  });
});

Deno.test("ManagedCdp gives up a browser that never listens", async () => {
  await using setting = newSetting(400);
  const nowhere: DrivenBrowser = { generation: 1, pid: Deno.pid, runTool: () => Promise.resolve() };
  assert.match(await failure(setting.cdp.prepare(nowhere)), /timed out after 400 ms/);
});

Deno.test("ManagedCdp is not led astray by the address that an earlier browser has left in the profile", async () => {
  const profile = await Deno.makeTempDir();
  try {
    await using setting = newSetting(20_000);
    await using browser = await StandaloneBrowser.start(profile);
    const file = `${profile}/DevToolsActivePort`;
    const right = await Deno.readTextFile(file);
    // Its port is open, but its path is of another browser.
    await Deno.writeTextFile(file, right.replace(/browser\/.*/, `browser/${crypto.randomUUID()}`));
    const preparing = setting.cdp.prepare(drivenBy(browser));
    await passed(200);
    assert.equal(setting.cdp.state, "starting");
    await Deno.writeTextFile(file, right);
    await preparing;
    assert.equal(setting.cdp.state, "ready");
  } finally {
    await Deno.remove(profile, { recursive: true });
  }
});
