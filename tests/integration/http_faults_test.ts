/** Faults under load: children that are killed, clients that go away, and the end of the server, all in full run. */
import assert from "node:assert/strict";
import { type HttpClient, initializeParams, type Message } from "../harness/http_client.ts";
import { HttpRun } from "../harness/http_run.ts";
import { countOpenFiles } from "../harness/proc_stat.ts";
import { until } from "../harness/until.ts";

const SESSIONS = 6;

/** Calls that each session has in flight. */
const LANES = 3;

/** A second signal waits for nothing but the killing. */
const AT_ONCE_MS = 2_000;

/** More than sockets take at once. */
const LARGE = 32 * 1024 * 1024;

/** Grace of the product, with room for a busy machine. */
const ENDED_WITHIN_MS = 7_000;

interface Tally {
  answered: number;
  lost: number;
}

/** Calls over and over in several lanes, until told to stop. Every call has to have an answer. */
async function load(client: HttpClient, going: () => boolean): Promise<Tally> {
  const tally = { answered: 0, lost: 0 };
  const lane = async (): Promise<void> => {
    while (going()) {
      const answer: Message = await client.callTool("slow", { ms: 30 });
      assert.ok(answer.result, JSON.stringify(answer));
      if (answer.result.isError === true) {
        assert.match(answer.result.content[0].text, /SIGKILL/);
        tally.lost++;
      } else tally.answered++;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return tally;
}

/** Starts a call and closes its connection once it is at work. */
async function disconnectInCall(client: HttpClient, id: string): Promise<void> {
  const gone = new AbortController();
  const response = await client.fetch("POST", {
    body: JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "slow", arguments: { ms: 400 } },
    }),
    signal: gone.signal,
  });
  gone.abort();
  await response.text().catch(() => {}); // cut off
}

Deno.test("kill -9 of children and disconnecting clients under load: every call of the others is answered", async () => {
  await using run = await HttpRun.start();
  const clients = await Promise.all(Array.from({ length: SESSIONS }, () => run.open()));
  const [first, second, ...others] = clients;
  assert.ok(first && second);
  const filesBefore = countOpenFiles(run.pid) ?? 0;
  let going = true;
  const loads = [first, ...others].map((client) => load(client, () => going));
  // Lanes are in flight whenever a child dies, so some call is always lost, and answered.
  for (let turn = 0; turn < 3; turn++) {
    const pid = await until("a child", async () => {
      const answer = await first.callTool("pid");
      return answer.result.isError === true ? undefined : answer.result.structuredContent.pid;
    }, 5_000);
    run.tree.record();
    Deno.kill(pid, "SIGKILL");
    await Promise.all(Array.from({ length: 4 }, (_, n) => disconnectInCall(second, `gone-${turn}-${n}`)));
  }
  going = false;
  const [struck, ...rest] = await Promise.all(loads);
  assert.ok((struck?.lost ?? 0) > 0 && (struck?.answered ?? 0) > 0, JSON.stringify(struck));
  for (const tally of rest) assert.ok(tally.lost === 0 && tally.answered > 0, JSON.stringify(tally));
  assert.ok(
    (await second.callTool("browser_snapshot")).result,
    "the session of the client that came and went",
  );
  assert.deepEqual(run.log.entries("cancelled"), [], "a closed connection cancels nothing");
  assert.equal(
    run.log.pids().length,
    SESSIONS + 1 + 3,
    "sessions, a spare, and one child for each that was killed",
  );
  await until("no file descriptors more than before", () => {
    return (countOpenFiles(run.pid) ?? Infinity) <= filesBefore + LANES * SESSIONS;
  }, 5_000);
});

Deno.test("SIGTERM under load: every call is answered or its connection closed, and nothing is left", async () => {
  await using run = await HttpRun.start();
  const clients = await Promise.all(Array.from({ length: SESSIONS }, () => run.open()));
  const ends = clients.flatMap((client) => Array.from({ length: LANES }, () => callUntilEnd(client)));
  const stuck = clients.map((client) => client.callTool("never"));
  const listeners = await Promise.all(clients.map((client) => client.listen()));
  await run.log.called("never", SESSIONS);
  await run.log.called("slow", 5 * SESSIONS);
  run.tree.record();
  run.signal("SIGTERM");
  assert.equal((await run.exit(ENDED_WITHIN_MS)).code, 0);
  for (const end of await Promise.all(ends)) assert.match(end, /shutting down|error sending|connection/i);
  for (const answer of await Promise.all(stuck)) {
    assert.match(answer.result.content[0].text, /shutting down/);
  }
  for (const listener of listeners) assert.deepEqual(await listener.rest(), []);
});

/** Calls until one is refused or its connection closed, and resolves with what that said. */
async function callUntilEnd(client: HttpClient): Promise<string> {
  for (;;) {
    try {
      const answer = await client.callTool("slow", { ms: 30 });
      if (answer.error !== undefined) return answer.error.message;
      if (answer.result.isError === true) return answer.result.content[0].text;
    } catch (error) {
      return String(error);
    }
  }
}

Deno.test("clients that stop reading or go away in the middle of a large answer hold up nobody, nor the end", async (t) => {
  await using run = await HttpRun.start();
  const [leaving, stalled, other] = [await run.open(), await run.open(), await run.open()];
  const call = {
    jsonrpc: "2.0",
    id: "big",
    method: "tools/call",
    params: { name: "big", arguments: { bytes: LARGE } },
  };
  const started = async (client: HttpClient): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
    const reader = (await client.post(call)).body?.getReader();
    assert.ok((await reader?.read())?.value);
    assert.ok(reader);
    return reader;
  };
  const [leaver, staller] = [await started(leaving), await started(stalled)];
  await t.step("the others go on", async () => {
    assert.equal((await other.callTool("big", { bytes: LARGE })).result.content[0].text.length, LARGE);
  });
  await t.step("the one that left comes back to its session", async () => {
    await leaver.cancel();
    assert.ok((await leaving.callTool("browser_snapshot")).result);
    assert.equal(await leaving.end(), 200);
  });
  await t.step("SIGTERM ends the server although one does not read", async () => {
    run.signal("SIGTERM");
    assert.equal((await run.exit(ENDED_WITHIN_MS)).code, 0);
    await staller.cancel().catch(() => {});
  });
});

Deno.test("upstreams that ignore end of input and signals are ended, at the latest by a second signal", async (t) => {
  const fake = ["--ignore-eof", "--ignore-signals"];
  /** Sessions with a grandchild each in a session of its own, and a spare. */
  const stubborn = async (): Promise<HttpRun> => {
    const run = await HttpRun.start({ fake });
    const clients = [await run.open(), await run.open(), await run.open()];
    for (const client of clients) await client.callTool("spawn");
    for (const client of clients) client.callTool("never").catch(() => {}); // answered, or cut off
    await run.log.called("never", clients.length);
    await until("the spare", () => run.log.pids().length === clients.length + 1, 5_000);
    run.tree.record();
    return run;
  };
  await t.step("one signal: within the grace", async () => {
    await using run = await stubborn();
    run.signal("SIGTERM");
    assert.equal((await run.exit(ENDED_WITHIN_MS)).code, 0);
  });
  await t.step("a second signal: at once", async () => {
    await using run = await stubborn();
    run.leavesTemporaryFiles = true; // as long as nobody else starts
    run.signal("SIGTERM");
    await until("the first signal's effect", () => run.stderr.includes("got SIGTERM"), AT_ONCE_MS);
    run.signal("SIGHUP");
    assert.equal((await run.exit(AT_ONCE_MS)).code, 129);
    await run.tree.assertNothingLeft({ withinMs: AT_ONCE_MS });
  });
});

Deno.test("SIGTERM right after the start, while spares and sessions are being opened, leaves nothing", async () => {
  for (const upstream of [undefined, undefined, undefined, "embedded", "embedded"] as const) {
    await using run = await HttpRun.start({
      ...(upstream === undefined ? {} : { upstream }),
      args: ["--http-warm-spares", "2"],
    });
    const opening = Array.from(
      { length: 3 },
      () => run.client().request("initialize", initializeParams()).catch(() => undefined), // answered or cut off
    );
    run.tree.record();
    run.signal("SIGTERM");
    assert.equal((await run.exit(ENDED_WITHIN_MS)).code, 0);
    await Promise.all(opening);
  }
});
