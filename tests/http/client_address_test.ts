import assert from "node:assert/strict";
import { createClientAddress, limitKey } from "../../src/http/client_address.ts";

function address(trustProxy: readonly string[], peer: string, ...forwarded: readonly string[]): string {
  const headers = new Headers(forwarded.map((value): [string, string] => ["x-forwarded-for", value]));
  return createClientAddress(trustProxy)(peer, headers);
}

Deno.test("createClientAddress() takes the other end of the connection where no proxy is trusted", () => {
  assert.equal(address([], "192.0.2.1", "203.0.113.9"), "192.0.2.1");
  assert.equal(address(["10.0.0.0/8"], "192.0.2.1", "203.0.113.9"), "192.0.2.1");
  assert.equal(address([], "unix", "203.0.113.9"), "unix");
});

Deno.test("createClientAddress() takes the client that a trusted proxy names", () => {
  assert.equal(address(["10.0.0.0/8"], "10.0.0.1", "203.0.113.9"), "203.0.113.9");
  assert.equal(address(["::1"], "::1", "2001:DB8:0::9"), "2001:db8::9");
  assert.equal(address(["unix"], "unix", "203.0.113.9"), "203.0.113.9");
  assert.equal(address(["10.0.0.0/8"], "::ffff:10.0.0.1", "203.0.113.9"), "203.0.113.9");
});

Deno.test("createClientAddress() reads from the right up to the first stranger", () => {
  const trusted = ["10.0.0.0/8"];
  assert.equal(address(trusted, "10.0.0.1", "1.1.1.1, 203.0.113.9, 10.0.0.2"), "203.0.113.9");
  assert.equal(address(trusted, "10.0.0.1", "1.1.1.1", "203.0.113.9"), "203.0.113.9");
  assert.equal(address(trusted, "10.0.0.1", "10.0.0.3, 10.0.0.2"), "10.0.0.3");
});

Deno.test("createClientAddress() stops at what is no address", () => {
  const trusted = ["10.0.0.0/8"];
  assert.equal(address(trusted, "10.0.0.1", "203.0.113.9, unknown"), "10.0.0.1");
  assert.equal(address(trusted, "10.0.0.1", "203.0.113.9, x, 10.0.0.2"), "10.0.0.2");
  assert.equal(address(trusted, "10.0.0.1", ""), "10.0.0.1");
  assert.equal(address(trusted, "10.0.0.1"), "10.0.0.1");
});

Deno.test("createClientAddress() reads entries with a port", () => {
  assert.equal(address(["10.0.0.1"], "10.0.0.1", "203.0.113.9:4711"), "203.0.113.9");
  assert.equal(address(["10.0.0.1"], "10.0.0.1", "[2001:db8::9]:4711"), "2001:db8::9");
});

Deno.test("limitKey() counts a /64 of IPv6 as one client", () => {
  assert.equal(limitKey("2001:db8:1:2:3:4:5:6"), limitKey("2001:db8:1:2::9"));
  assert.notEqual(limitKey("2001:db8:1:2::1"), limitKey("2001:db8:1:3::1"));
  assert.equal(limitKey("192.0.2.1"), "192.0.2.1");
  assert.equal(limitKey("unix"), "unix");
});
