import assert from "node:assert/strict";
import type { Bridge } from "../../src/bridge/bridge.ts";
import { createMemoryStore, type SessionStore } from "../../src/http/session_store.ts";
import { Sessions, type SessionsOptions } from "../../src/http/sessions.ts";
import { createLogger } from "../../src/telemetry/log.ts";

interface World {
  readonly sessions: Sessions;
  readonly store: SessionStore;
  /** Ids of bridges that were closed. */
  readonly closed: string[];
  time: number;
}

/** Sessions whose bridges are empty shells: what a bridge does is another file's test. */
function newWorld(options: Partial<SessionsOptions> = {}): World {
  let count = 0;
  const closed: string[] = [];
  const store = createMemoryStore();
  const world = { store, closed, time: 0 };
  const sessions = new Sessions({
    store,
    max: 3,
    maxPerClient: undefined,
    idleTtlMs: 1000,
    keepaliveMs: 0,
    closeGraceMs: 10,
    log: createLogger({ level: "silent", format: "text", write: () => {} }),
    now: () => world.time,
    open: () => {
      const id = `s${++count}`;
      const close = (): Promise<void> => {
        closed.push(id);
        return Promise.resolve();
      };
      const relay = { drain: () => Promise.resolve() };
      return Promise.resolve({ id, bridge: { relay, close } as unknown as Bridge });
    },
    ...options,
  });
  return Object.assign(world, { sessions });
}

Deno.test("Sessions.admit() never passes the limit, and a failed one frees its place", async () => {
  let fail = true;
  const { sessions } = newWorld({
    open: () => {
      if (fail) return Promise.reject(new Error("no"));
      const bridge = { relay: { drain: () => Promise.resolve() }, close: () => Promise.resolve() };
      return Promise.resolve({ id: crypto.randomUUID(), bridge: bridge as unknown as Bridge });
    },
  });
  await assert.rejects(sessions.admit("o", "c"));
  assert.equal(sessions.occupancy().available, 3);
  fail = false;
  const admissions = await Promise.all(Array.from({ length: 5 }, () => sessions.admit("o", "c")));
  assert.deepEqual(admissions.map(({ ok }) => ok), [true, true, true, false, false]);
  assert.deepEqual(sessions.occupancy(), { active: 3, pending: 0, max: 3, available: 0 });
  await sessions.drain(0);
});

Deno.test("Sessions.admit() bounds what one client may open", async () => {
  const { sessions } = newWorld({ maxPerClient: 1 });
  assert.equal((await sessions.admit("o", "a")).ok, true);
  assert.deepEqual(await sessions.admit("o", "a"), { ok: false, reason: "client_full" });
  assert.equal((await sessions.admit("o", "b")).ok, true);
  await sessions.drain(0);
});

Deno.test("Sessions.find() gives a session to its owner only", async () => {
  const { sessions } = newWorld();
  await sessions.admit("owner", "c");
  assert.ok(sessions.find("s1", "owner"));
  assert.equal(sessions.find("s1", "other"), undefined);
  assert.equal(sessions.find("s2", "owner"), undefined);
  await sessions.drain(0);
});

Deno.test("Sessions.expire() ends what is idle, and spares what runs", async () => {
  const world = newWorld();
  const { sessions, closed } = world;
  await sessions.admit("o", "c");
  const busy = await sessions.admit("o", "c");
  assert.ok(busy.ok);
  const running = busy.session.use();
  world.time = 1000;
  sessions.expire();
  assert.deepEqual(closed, ["s1"]);
  running[Symbol.dispose]();
  world.time = 1999;
  sessions.expire();
  assert.deepEqual(closed, ["s1"], "idle time counts from the end of the last activity");
  world.time = 2000;
  sessions.expire();
  assert.deepEqual(closed, ["s1", "s2"]);
  await sessions.drain(0);
});

Deno.test("Sessions.close() is shared by whoever asks, and leaves no record", async () => {
  const { sessions, closed, store } = newWorld();
  const admission = await sessions.admit("o", "c");
  assert.ok(admission.ok);
  assert.equal((await store.list()).length, 1);
  await Promise.all([
    sessions.close(admission.session, "deleted"),
    sessions.close(admission.session, "deleted"),
  ]);
  assert.deepEqual(closed, ["s1"]);
  assert.equal(sessions.occupancy().active, 0);
  assert.deepEqual(await store.list(), []);
  await sessions.drain(0);
});

Deno.test("Sessions.drain() admits nobody and ends everything", async () => {
  const { sessions, closed } = newWorld();
  await sessions.admit("o", "c");
  await sessions.admit("o", "c");
  await sessions.drain(1000);
  assert.deepEqual(await sessions.admit("o", "c"), { ok: false, reason: "draining" });
  assert.deepEqual(closed, ["s1", "s2"]);
});

Deno.test("Sessions.expire() does not wait long for a client that never came back after initialize", async () => {
  const world = newWorld({ idleTtlMs: 3_600_000 });
  const { sessions } = world;
  const unheard = await sessions.admit("o", "c");
  const used = await sessions.admit("o", "c");
  assert.ok(unheard.ok && used.ok);
  sessions.find(used.session.record.id, "o");
  world.time = 119_999;
  sessions.expire();
  assert.equal(world.closed.length, 0);
  world.time = 120_000;
  sessions.expire();
  assert.deepEqual(world.closed, [unheard.session.record.id]);
  await sessions.drain(0);
});
