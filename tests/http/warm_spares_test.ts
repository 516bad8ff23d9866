import assert from "node:assert/strict";
import type { Bridge } from "../../src/bridge/bridge.ts";
import type { ClientPort } from "../../src/bridge/client_port.ts";
import { WarmSpares, type WarmSparesOptions } from "../../src/http/warm_spares.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { until } from "../harness/until.ts";

const GIB = 1024 ** 3;
const WITHIN_MS = 5_000;

interface World {
  readonly spares: WarmSpares;
  /** Upstream's state of each bridge that was opened, in order. */
  readonly states: string[];
  readonly clients: ClientPort[];
  readonly closed: string[];
  available: number;
}

/** Spares whose bridges are empty shells. */
function newWorld(count: number, options: Partial<WarmSparesOptions> = {}): World {
  const world = {
    states: [] as string[],
    clients: [] as ClientPort[],
    closed: [] as string[],
    available: GIB,
  };
  const spares = new WarmSpares({
    count,
    closeGraceMs: 10,
    availableMemory: () => Promise.resolve(world.available),
    log: createLogger({ level: "silent", format: "text", write: () => {} }),
    open: (client) => {
      const at = world.states.push("starting") - 1;
      world.clients.push(client);
      const supervisor = {
        get state(): string | undefined {
          return world.states[at];
        },
      };
      const close = (): Promise<void> => {
        world.closed.push(`s${at}`);
        return Promise.resolve();
      };
      return Promise.resolve({ id: `s${at}`, bridge: { relay: { supervisor }, close } as unknown as Bridge });
    },
    ...options,
  });
  return Object.assign(world, { spares });
}

const nobody: ClientPort = { send: () => Promise.resolve() };

const filled = (world: World, count: number): Promise<unknown> =>
  until(`${count} spares`, () => world.spares.ready === count, WITHIN_MS);

Deno.test("WarmSpares.take() gives each spare once and opens the next", async () => {
  const world = newWorld(2);
  assert.equal(world.spares.take(nobody), undefined, "none is ready yet");
  await filled(world, 2);
  assert.equal(world.spares.take(nobody)?.id, "s0");
  await filled(world, 2);
  assert.equal(world.spares.take(nobody)?.id, "s1");
  await world.spares.close();
  assert.equal(world.spares.take(nobody), undefined);
  assert.equal(world.closed.length, 2);
});

Deno.test("WarmSpares.take() opens the next one however early it comes", async () => {
  const world = newWorld(1);
  for (let turn = 0; turn < 5; turn++) {
    while (world.spares.ready === 0) await Promise.resolve();
    assert.equal(world.spares.take(nobody)?.id, `s${turn}`);
  }
  await filled(world, 1);
  await world.spares.close();
});

Deno.test("WarmSpares.take() lets a spare speak to the client that took it", async () => {
  const world = newWorld(1);
  await filled(world, 1);
  const said: Uint8Array[] = [];
  await world.clients[0]?.send(new Uint8Array([1]));
  world.spares.take({
    send: (bytes) => {
      said.push(bytes);
      return Promise.resolve();
    },
  });
  await world.clients[0]?.send(new Uint8Array([2]));
  assert.deepEqual(said, [new Uint8Array([2])]);
  await world.spares.close();
});

Deno.test("WarmSpares.take() passes over a spare whose upstream has died", async () => {
  const world = newWorld(2);
  await filled(world, 2);
  world.states[0] = "lost";
  assert.equal(world.spares.take(nobody)?.id, "s1");
  assert.deepEqual(world.closed, ["s0"]);
  await world.spares.close();
});

Deno.test("WarmSpares gives its spares up while memory is scarce", async () => {
  const world = newWorld(2);
  await filled(world, 2);
  world.available = GIB / 4;
  await world.spares.watchMemory();
  assert.deepEqual(world.closed, ["s0", "s1"]);
  await world.spares.watchMemory();
  assert.equal(world.spares.ready, 0);
  world.available = GIB;
  await world.spares.watchMemory();
  await filled(world, 2);
  await world.spares.close();
});

Deno.test("WarmSpares.close() waits for a spare that is still being opened", async () => {
  const opened = Promise.withResolvers<void>();
  let closed = false;
  const close = (): Promise<void> => {
    closed = true;
    return Promise.resolve();
  };
  const world = newWorld(1, {
    open: async () => {
      await opened.promise;
      return { id: "late", bridge: { close } as unknown as Bridge };
    },
  });
  const closing = world.spares.close();
  opened.resolve();
  await closing;
  assert.equal(closed, true);
});
