import assert from "node:assert/strict";
import { canonicalHostProblem } from "../../src/settings/canonical_host.ts";

Deno.test("canonicalHostProblem() passes addresses and names in the form that a URL gives them", () => {
  for (
    const host of [
      "127.0.0.1",
      "0.0.0.0",
      "255.255.255.255",
      "::",
      "::1",
      "2001:db8::7",
      "2001:DB8::7",
      "localhost",
      "LOCALHOST",
      "cdp.example",
      "a-b.c_d.example",
      "xn--mnchen-3ya.example",
      "1.example",
      "x".repeat(63),
      `${"x".repeat(63)}.`.repeat(3) + "y".repeat(61),
    ]
  ) {
    assert.equal(canonicalHostProblem(host), undefined, host);
  }
});

Deno.test("canonicalHostProblem() refuses numbers that only some read as addresses, and tells which", () => {
  const forms = {
    "0": "0.0.0.0",
    "127.1": "127.0.0.1",
    "0x7f000001": "127.0.0.1",
    "0X7F.1": "127.0.0.1",
    "2130706433": "127.0.0.1",
    "0177.0.0.1": "127.0.0.1",
    "127.000.000.001": "127.0.0.1",
    "127.0.0.1.": "127.0.0.1",
    "0:0:0:0:0:0:0:1": "::1",
    "::ffff:127.0.0.1": "::ffff:7f00:1",
    "2001:0db8::7": "2001:db8::7",
    "münchen.example": "xn--mnchen-3ya.example",
    "\u212Aelvin.example": "kelvin.example",
  };
  for (const [host, canonical] of Object.entries(forms)) {
    assert.equal(
      canonicalHostProblem(host),
      `must be written as it stands in a URL: "${canonical}"`,
      host,
    );
  }
});

Deno.test("canonicalHostProblem() refuses what is more or less than a host", () => {
  for (
    const host of [
      "",
      "http://cdp.example",
      "//cdp.example",
      "cdp.example:9300",
      "127.0.0.1:9300",
      "[::1]",
      "[::1]:9300",
      "me@cdp.example",
      "me:pw@cdp.example",
      "cdp.example/",
      "cdp.example/path",
      "cdp.example?x",
      "cdp.example#x",
      "cdp.example\\x",
      "cdp example",
      "a\tb",
      "a\nb",
      "cdp%2eexample",
      "*",
      "*.example",
      ".",
      ".example",
      "example.",
      "a..b",
      "-a.example",
      "a-.example",
      "256.0.0.1",
      "1.2.3.4.5",
      "fe80::1%eth0",
      ":::",
      "1:2:3",
      "x".repeat(64),
      `${"x".repeat(63)}.`.repeat(3) + "y".repeat(62),
    ]
  ) {
    assert.match(canonicalHostProblem(host) ?? "", /must be a host name or an IP address/, host);
  }
});
