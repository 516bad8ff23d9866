import assert from "node:assert/strict";
import { tryConnecting } from "../../src/doctor/reach.ts";
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

Deno.test("tryConnecting() does not wait longer than it may", async () => {
  // A network for examples (RFC 5737): packets go nowhere, or the machine has no way there at all.
  const address = { host: "192.0.2.1", port: 8080 };
  const startedAt = performance.now();
  assert.notEqual(await tryConnecting(address, 100, never), undefined);
  const stop = new AbortController();
  const waiting = tryConnecting(address, 60_000, stop.signal);
  stop.abort();
  assert.notEqual(await waiting, undefined);
  assert.ok(performance.now() - startedAt < 10_000);
});
