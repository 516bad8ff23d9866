import assert from "node:assert/strict";
import { canonicalOrigin, createOriginGuard } from "../../../src/http/guards/origin.ts";
import { PASSED, type Verdict } from "../../../src/http/refusal.ts";
import { refused, request } from "../requests.ts";

function check(
  origin: string,
  { host = "localhost:3000", allowedOrigins = [] as string[], tls = false } = {},
): Verdict {
  return createOriginGuard({ allowedOrigins, tls })(request({ host, origin }));
}

Deno.test("createOriginGuard() passes requests without an origin", () => {
  assert.deepEqual(createOriginGuard({ allowedOrigins: [], tls: false })(request()), PASSED);
});

Deno.test("createOriginGuard() passes the server's own origin and pages of this machine", () => {
  for (
    const origin of ["http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:1", "https://LOCALHOST"]
  ) {
    assert.deepEqual(check(origin), PASSED, origin);
  }
  assert.deepEqual(check("http://mcp.example:81", { host: "mcp.example:81" }), PASSED);
  assert.deepEqual(check("http://mcp.example", { host: "MCP.example:80" }), PASSED);
});

Deno.test("createOriginGuard() refuses foreign origins with the flag that allows them", () => {
  for (const origin of ["http://evil.example", "http://localhost.evil", "https://evil.localhost:3000"]) {
    assert.ok(refused(check(origin), 403).message.includes(`--allowed-origin ${origin}`), origin);
  }
  for (const origin of ["null", "", "x", "file://", "chrome-extension://abc", "http://a, http://b"]) {
    assert.match(refused(check(origin), 403).message, /named by --allowed-origin/, origin);
  }
  refused(check("http://mcp.example:82", { host: "mcp.example:81" }), 403);
});

Deno.test("createOriginGuard() passes the origins that it is given, exactly", () => {
  const allowedOrigins = ["https://App.example:443", "chrome-extension://abc"];
  for (const origin of ["https://app.example", "chrome-extension://abc"]) {
    assert.deepEqual(check(origin, { allowedOrigins }), PASSED);
  }
  for (const origin of ["http://app.example", "https://app.example:8443", "https://x.app.example", "null"]) {
    refused(check(origin, { allowedOrigins }), 403);
  }
});

Deno.test("createOriginGuard() takes an https page of its name for its own, not an http one over https", () => {
  assert.deepEqual(check("https://mcp.example", { host: "mcp.example" }), PASSED);
  refused(check("http://mcp.example", { host: "mcp.example", tls: true }), 403);
});

Deno.test("createOriginGuard() knows its own name in HTTP/2", () => {
  const guard = createOriginGuard({ allowedOrigins: [], tls: true });
  const headers = { origin: "https://mcp.example" };
  assert.deepEqual(guard(new Request("https://mcp.example/mcp", { headers })), PASSED);
});

Deno.test("canonicalOrigin() has one spelling for each origin", () => {
  assert.equal(canonicalOrigin("HTTPS://A.example:443"), "https://a.example");
  assert.equal(canonicalOrigin("http://a.example:8080"), "http://a.example:8080");
  assert.equal(canonicalOrigin("null"), "null");
});
