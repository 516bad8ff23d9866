import assert from "node:assert/strict";
import { type CdpListener, PortPool } from "../../src/cdp/port_pool.ts";
import { AppError } from "../../src/errors.ts";

/** A listener that is only there to be leased. */
const listener = {} as CdpListener;

function refusedWith(act: () => unknown, code: string): AppError {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code);
    return error;
  }
  throw new assert.AssertionError({ message: `not refused with ${code}` });
}

Deno.test("PortPool leases the lowest port that is free, each once", () => {
  const pool = new PortPool({ range: { first: 10, last: 12 }, listen: () => listener });
  const leases = [pool.lease(), pool.lease(), pool.lease()];
  assert.deepEqual(leases.map(({ port }) => port), [10, 11, 12]);
  refusedWith(() => pool.lease(), "cdp_capacity");
  leases[1]?.release();
  leases[1]?.release();
  assert.equal(pool.lease().port, 11);
  refusedWith(() => pool.lease(), "cdp_capacity");
});

Deno.test("PortPool passes over ports that somebody else has", () => {
  const first = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const taken = first.addr.port;
  try {
    const pool = new PortPool({
      range: { first: taken, last: Math.min(taken + 20, 65_535) },
      listen: (port) => Deno.listen({ hostname: "127.0.0.1", port }),
    });
    const lease = pool.lease();
    assert.ok(lease.port > taken);
    lease.listener.close();
    lease.release();
  } finally {
    first.close();
  }
});

Deno.test("PortPool names an address that cannot be bound at all", () => {
  const pool = new PortPool({
    range: { first: 9300, last: 9400 },
    listen: (port) => Deno.listen({ hostname: "192.0.2.1", port }),
  });
  assert.match(refusedWith(() => pool.lease(), "cannot_bind").message, /CDP port 9300/);
});
