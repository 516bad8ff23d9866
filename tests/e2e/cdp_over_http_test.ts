/** Managed CDP of sessions over HTTP: a range for all of them, and traffic that keeps a session alive. */
import assert from "node:assert/strict";
import type { Message } from "../harness/json_rpc_inbox.ts";
import { initializeParams } from "../harness/http_client.ts";
import { isRunning, readStat } from "../harness/proc_stat.ts";
import { until } from "../harness/until.ts";
import { cdpOf, closeOf, devTools, freePorts, inState, statusOf } from "./cdp_user.ts";
import { HttpBrowserRun, HttpUser, NOTHING_LEFT_WITHIN_MS } from "./http_browser_run.ts";

interface Opened {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly answer: Message;
  readonly user: HttpUser;
}

/** Asks for a session, whatever the answer is. */
async function ask(run: HttpBrowserRun, cdpEnabled: boolean): Promise<Opened> {
  const client = run.http.client();
  const _meta = { cloakbrowser: { cdpEnabled } };
  const { response, answer } = await client.exchange(
    "initialize",
    initializeParams({ capabilities: {}, _meta }),
  );
  client.sessionId = response.headers.get("mcp-session-id") ?? undefined;
  if (answer.result !== undefined) await client.tell({ method: "notifications/initialized" });
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, retryAfter, answer, user: new HttpUser(client, run) };
}

function isOne(state: string): (each: { readonly status: number }) => boolean {
  return ({ status }) => (state === "open") === (status === 200);
}

Deno.test("six sessions over HTTP share four ports: four work, two are told to come back, and a freed port serves the next", async (t) => {
  const port = freePorts(4);
  const range = ["--cdp-port-range", `${port}-${port + 3}`];
  await using run = await HttpBrowserRun.start({ args: [...range, "--http-session-max", "8"] });
  const asked = await Promise.all(Array.from({ length: 6 }, () => ask(run, true)));
  const open = asked.filter(isOne("open")).map(({ user }) => user);
  assert.equal(open.length, 4);
  const cdp = await Promise.all(open.map((user) => inState(user, "ready")));
  run.http.tree.record();
  await t.step("two are told to come back", () => {
    for (const { status, retryAfter, answer } of asked.filter(isOne("refused"))) {
      assert.equal(status, 503);
      assert.ok(Number(retryAfter) > 0);
      assert.match(answer.error.message, /Managed CDP capacity unavailable/);
    }
  });
  await t.step("each has a port of its own", () => {
    assert.deepEqual(cdp.map((each) => each.port - port).toSorted(), [0, 1, 2, 3]);
  });
  await t.step("each has a browser and a capability of its own", async () => {
    const ids = await Promise.all(cdp.map(async ({ discoveryUrl }) => {
      return (await (await fetch(`${discoveryUrl}/json/version`)).json()).webSocketDebuggerUrl;
    }));
    assert.equal(new Set(ids.map((url) => url.split("/").at(-1))).size, 4);
    const secret = cdp[0]?.discoveryUrl.split("/").at(-1);
    assert.equal(await statusOf(`http://127.0.0.1:${cdp[1]?.port}/cdp/${secret}/json/version`), 404);
  });
  await t.step("a session without CDP needs no port", async () => {
    const { status, user } = await ask(run, false);
    assert.equal(status, 200);
    assert.deepEqual(await cdpOf(user), { enabled: false });
    assert.equal(await user.client.end(), 200);
  });
  await t.step("the port of a session that has ended serves the next", async () => {
    assert.equal(await open[2]?.client.end(), 200);
    const next = await ask(run, true);
    assert.equal(next.status, 200, JSON.stringify(next.answer));
    const fresh = await inState(next.user, "ready");
    run.http.tree.record();
    assert.equal(fresh.port, cdp[2]?.port);
    assert.notEqual(fresh.discoveryUrl, cdp[2]?.discoveryUrl);
    assert.equal(await statusOf(`${cdp[2]?.discoveryUrl}/json/version`), 404);
  });
});

Deno.test("traffic of a CDP client keeps its session alive, and a silent one does not", async () => {
  const ttlMs = 3_000;
  const port = freePorts(2);
  const args = ["--cdp-port-range", `${port}-${port + 1}`, "--http-session-idle-ttl-ms", String(ttlMs)];
  await using run = await HttpBrowserRun.start({ args });
  const [busy, silent] = [await ask(run, true), await ask(run, true)];
  const [talking, quiet] = await Promise.all([busy, silent].map(async ({ user }) => {
    return await devTools((await inState(user, "ready")).discoveryUrl);
  }));
  assert.ok(talking && quiet);
  run.http.tree.record();
  const cut = closeOf(quiet);
  let answers = 0;
  talking.onmessage = () => answers += 1;
  const asking = setInterval(() => talking.send('{"id":1,"method":"Browser.getVersion"}'), ttlMs / 10);
  const from = performance.now();
  assert.ok([1001, 1006].includes(await cut), "the silent client is sent away with its session");
  await until(
    "more than twice the time",
    () => performance.now() - from > 2.5 * ttlMs,
    3 * ttlMs,
  );
  assert.equal(talking.readyState, WebSocket.OPEN);
  assert.ok(answers > 10);
  assert.equal((await cdpOf(busy.user)).activeConnections, 1);
  const gone = await silent.user.client.post({ jsonrpc: "2.0", id: 1, method: "ping" });
  await gone.body?.cancel();
  assert.equal(gone.status, 404);
  clearInterval(asking);
  const ended = closeOf(talking);
  assert.ok([1001, 1006].includes(await ended), "then it is silent as well");
  await until("only the server", () => run.http.tree.running().length === 1, NOTHING_LEFT_WITHIN_MS);
  await until("no directory", () => run.folder.temporaryDirectories().length === 0, NOTHING_LEFT_WITHIN_MS);
});

Deno.test("the end of a session takes the address first, then the browser, and the port last", async (t) => {
  const port = freePorts(1);
  const args = ["--cdp-port-range", String(port), "--shutdown-grace-ms", "3000"];
  await using run = await HttpBrowserRun.start({ args });
  const { user } = await ask(run, true);
  const { discoveryUrl } = await inState(user, "ready");
  run.http.tree.record();
  const browser = await user.browser();
  const client = await devTools(discoveryUrl);
  const cut = closeOf(client);
  // A browser that hangs holds the end of its session where it is.
  Deno.kill(browser.pid, "SIGSTOP");
  let ended = false;
  const end = user.client.end().then((status) => {
    ended = true;
    return status;
  });
  assert.ok([1001, 1006].includes(await cut));
  await t.step("the browser is still there when the address is dead", async () => {
    assert.equal(await statusOf(`${discoveryUrl}/json/version`), 404);
    assert.ok(isRunning(readStat(browser.pid)));
    assert.equal(ended, false);
  });
  await t.step("and the port is still taken", async () => {
    assert.equal((await ask(run, true)).status, 503);
    assert.equal(ended, false);
  });
  await t.step("at the end there is neither, and the port serves the next", async () => {
    assert.equal(await end, 200);
    assert.ok(!isRunning(readStat(browser.pid)));
    await assert.rejects(fetch(`${discoveryUrl}/json/version`));
    const next = await ask(run, true);
    assert.equal((await inState(next.user, "ready")).port, port);
    run.http.tree.record();
  });
});

Deno.test("a session that wants CDP where there is no range is refused", async () => {
  await using run = await HttpBrowserRun.start();
  const { status, answer } = await ask(run, true);
  assert.equal(status, 400);
  assert.match(answer.error.message, /cdpEnabled.*--cdp-port-range/s);
});
