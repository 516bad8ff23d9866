import assert from "node:assert/strict";
import { createHostGuard, type HostGuardOptions } from "../../../src/http/guards/host.ts";
import { PASSED, type Verdict } from "../../../src/http/refusal.ts";
import { refused, request } from "../requests.ts";

function check(host: string | undefined, options: Partial<HostGuardOptions> = {}): Verdict {
  const guard = createHostGuard({ allowedHosts: [], httpHost: "127.0.0.1", tls: false, ...options });
  const headers = new Headers(host === undefined ? {} : { host });
  return guard(new Request("http://localhost:3000/mcp", { headers }));
}

Deno.test("createHostGuard() answers to loopback names in any case and with any port", () => {
  for (
    const host of ["localhost:3000", "LOCALHOST:1", "localhost", "127.0.0.1:3000", "[::1]:3000", "[::1]"]
  ) {
    assert.deepEqual(check(host), PASSED, host);
  }
  assert.deepEqual(check("[0:0:0:0:0:0:0:1]:3000"), PASSED);
});

Deno.test("createHostGuard() refuses other names with the flag that allows them", () => {
  for (
    const host of ["evil.example:3000", "localhost.evil.example", "evil.localhost", "localhost.", "127.0.0.2"]
  ) {
    const { message } = refused(check(host), 403);
    const name = host.replace(":3000", "");
    assert.ok(message.includes(`"${name}"`) && message.includes(`--allowed-host ${name}`), message);
  }
});

Deno.test("createHostGuard() refuses a missing, malformed or repeated header", () => {
  for (
    const host of [
      "",
      "127.0.0.1:3000.evil",
      "localhost, localhost",
      "loc alhost",
      "user@localhost",
      "localhost/x",
    ]
  ) {
    assert.match(refused(check(host), 400).message, /malformed Host/, host);
  }
  assert.match(refused(check(undefined), 400).message, /missing/);
});

Deno.test("createHostGuard() answers to the names that it is given", () => {
  const allowedHosts = ["Mcp.Example", "api.example:8443", "[2001:db8::1]"];
  for (
    const host of ["mcp.example", "MCP.example:81", "api.example:8443", "[2001:DB8:0::1]:9", "localhost"]
  ) {
    assert.deepEqual(check(host, { allowedHosts }), PASSED, host);
  }
  for (const host of ["api.example", "api.example:8444", "x.mcp.example", "mcp.example.evil"]) {
    refused(check(host, { allowedHosts }), 403);
  }
});

Deno.test("createHostGuard() takes the port that the scheme has anyway for the one that is meant", () => {
  assert.deepEqual(check("a.example", { allowedHosts: ["a.example:80"] }), PASSED);
  assert.deepEqual(check("a.example", { allowedHosts: ["a.example:443"], tls: true }), PASSED);
});

Deno.test("createHostGuard() answers to the address that it is bound to, but not to every one", () => {
  assert.deepEqual(check("192.0.2.7:3000", { httpHost: "192.0.2.7" }), PASSED);
  assert.deepEqual(check("[2001:db8::7]:3000", { httpHost: "2001:db8::7" }), PASSED);
  refused(check("0.0.0.0:3000", { httpHost: "0.0.0.0" }), 403);
  refused(check("192.0.2.7:3000", { httpHost: "0.0.0.0" }), 403);
});

Deno.test("createHostGuard() answers to every name when told to, but not to a malformed one", () => {
  assert.deepEqual(check("evil.example", { allowedHosts: ["*"] }), PASSED);
  refused(check("a, b", { allowedHosts: ["*"] }), 400);
});

Deno.test("createHostGuard() takes the name of HTTP/2 from the address", () => {
  const guard = createHostGuard({ allowedHosts: [], httpHost: "127.0.0.1", tls: true });
  assert.deepEqual(guard(new Request("https://localhost:3000/mcp")), PASSED);
  refused(guard(new Request("https://evil.example/mcp")), 403);
  refused(guard(request({ host: "evil.example" })), 403);
});
