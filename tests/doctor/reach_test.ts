import assert from "node:assert/strict";
import { tryConnecting } from "../../src/doctor/reach.ts";
import { DeafListener } from "./deaf_listener.ts";
import { Place } from "./test_world.ts";

const never = new AbortController().signal;

Deno.test("tryConnecting() finds a listener, over IPv6 and a unix socket too", async () => {
  using tcp = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  assert.equal(await tryConnecting({ host: "127.0.0.1", port: tcp.addr.port }, 5000, never), undefined);
  using six = Deno.listen({ hostname: "::1", port: 0 });
  assert.equal(await tryConnecting({ host: "[::1]", port: six.addr.port }, 5000, never), undefined);
  using place = new Place();
  const path = `${place.path}/socket`;
  using _unix = Deno.listen({ transport: "unix", path });
  assert.equal(await tryConnecting({ path }, 5000, never), undefined);
});

Deno.test("tryConnecting() says why not", async () => {
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = closed.addr;
  closed.close();
  assert.equal(await tryConnecting({ host: "127.0.0.1", port }, 5000, never), "nothing listens there");
  assert.equal(await tryConnecting({ path: "/nowhere/at/all" }, 5000, never), "there is no such socket");
});

Deno.test("tryConnecting() does not wait longer than it may, nor for nobody", async () => {
  using deaf = await DeafListener.open();
  const address = { host: "127.0.0.1", port: deaf.port };
  assert.equal(await tryConnecting(address, 100, never), "no answer within 0.1 s");
  const stop = new AbortController();
  const waiting = tryConnecting(address, 600_000, stop.signal);
  stop.abort();
  assert.equal(await waiting, "nobody waits any more");
});
