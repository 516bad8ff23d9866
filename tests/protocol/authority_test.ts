import assert from "node:assert/strict";
import { authorityHost, isLoopbackHost, parseAuthority } from "../../src/protocol/authority.ts";

Deno.test("parseAuthority() reads host and port in their canonical form", () => {
  assert.deepEqual(parseAuthority("LOCALHOST:80"), { host: "localhost", port: 80 });
  assert.deepEqual(parseAuthority("127.0.0.1"), { host: "127.0.0.1", port: undefined });
  assert.deepEqual(parseAuthority("a.example:"), { host: "a.example", port: undefined });
  assert.deepEqual(parseAuthority("[0:0:0:0:0:0:0:1]:8080"), { host: "[::1]", port: 8080 });
});

Deno.test("parseAuthority() refuses everything else", () => {
  const wrong = [
    "",
    ":80",
    "127.0.0.1:1.evil",
    "a b",
    "a:b",
    "a:99999",
    "a:1:2",
    "me@a",
    "a/b",
    "[::1",
    "[zz]",
    "::1",
  ];
  for (const text of [...wrong, "a, b", "a\\b", "a?b", "a#b", "ä"]) {
    assert.equal(parseAuthority(text), undefined, text);
  }
});

Deno.test("authorityHost() puts IPv6 addresses in brackets", () => {
  assert.equal(authorityHost("::1"), "[::1]");
  assert.equal(authorityHost("[0::1]"), "[::1]");
  assert.equal(authorityHost("Mcp.Example"), "mcp.example");
});

Deno.test("isLoopbackHost() knows the names of this machine", () => {
  for (const host of ["localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"]) {
    assert.ok(isLoopbackHost(host), host);
  }
  for (
    const host of ["0.0.0.0", "::", "localhost.evil", "127.0.0.1.evil", "evil.localhost", "128.0.0.1", ""]
  ) {
    assert.ok(!isLoopbackHost(host), host);
  }
});
