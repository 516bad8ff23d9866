import assert from "node:assert/strict";
import fc from "fast-check";
import { formatIp, isInRanges, isUnspecified, parseIp, parseIpRange } from "../../src/protocol/ip_range.ts";

function contains(range: string, address: string): boolean {
  const parsed = parseIpRange(range);
  return parsed !== undefined && isInRanges(parseIp(address) ?? -1n, [parsed]);
}

Deno.test("parseIpRange() takes addresses and prefixes of both families", () => {
  assert.ok(contains("10.0.0.0/8", "10.255.0.1"));
  assert.ok(!contains("10.0.0.0/8", "11.0.0.0"));
  assert.ok(contains("10.1.2.3/8", "10.0.0.0"));
  assert.ok(contains("192.0.2.1", "192.0.2.1"));
  assert.ok(!contains("192.0.2.1", "192.0.2.2"));
  assert.ok(contains("2001:db8::/32", "2001:db8:ffff::1"));
  assert.ok(!contains("2001:db8::/32", "2001:db9::"));
  assert.ok(contains("0.0.0.0/0", "255.255.255.255"));
  assert.ok(!contains("0.0.0.0/0", "::1"));
  assert.ok(contains("::/0", "::1"));
});

Deno.test("parseIpRange() sees an IPv4 address in its IPv6 form", () => {
  assert.ok(contains("10.0.0.0/8", "::ffff:10.1.1.1"));
  assert.ok(contains("::ffff:10.0.0.0/104", "10.1.1.1"));
});

Deno.test("parseIpRange() refuses everything else", () => {
  for (
    const text of [
      "",
      "x",
      "10.0.0",
      "10.0.0.0/33",
      "::/129",
      "10.0.0.0/",
      "10.0.0.0/-1",
      "fe80::1%eth0",
      "1/2/3",
    ]
  ) {
    assert.equal(parseIpRange(text), undefined, text);
  }
});

Deno.test("formatIp() gives back what parseIp() took, as a property", () => {
  fc.assert(fc.property(fc.ipV4(), (text) => {
    assert.equal(formatIp(parseIp(text) ?? -1n), text);
  }));
  fc.assert(fc.property(fc.ipV6(), (text) => {
    const address = parseIp(text);
    assert.notEqual(address, undefined);
    assert.equal(parseIp(formatIp(address ?? -1n)), address);
  }));
});

Deno.test("parseIp() takes IPv4 with four decimal numbers only", () => {
  for (const text of ["0.0.0.0", "255.255.255.255", "1.20.199.249"]) {
    assert.notEqual(parseIp(text), undefined, text);
  }
  for (
    const text of ["256.0.0.1", "1.2.3", "1.2.3.4.5", "1.2.3.4.", "0x7f.0.0.1", "1.2.3.", " 1.2.3.4", "127.1"]
  ) {
    assert.equal(parseIp(text), undefined, text);
  }
});

Deno.test("isUnspecified() knows the addresses that stand for all", () => {
  for (const text of ["0.0.0.0", "::", "0:0::0"]) assert.ok(isUnspecified(text), text);
  for (const text of ["127.0.0.1", "::1", "localhost"]) assert.ok(!isUnspecified(text), text);
});
