import assert from "node:assert/strict";
import { createPathGuard, joinPath, pathOf } from "../../../src/http/guards/path.ts";
import { refused, request } from "../requests.ts";

const guard = createPathGuard({ httpBasePath: "/", httpEndpoint: "/mcp" });

Deno.test("createPathGuard() tells the parts of the server apart", () => {
  for (const route of ["mcp", "healthz", "readyz", "metrics"]) {
    assert.deepEqual(guard(request({}, { path: `/${route}` })), { ok: true, route });
  }
  assert.deepEqual(guard(request({}, { path: "/mcp?x=1#y" })), { ok: true, route: "mcp" });
});

Deno.test("createPathGuard() knows no other path", () => {
  for (const path of ["/", "/mcp/", "/MCP", "/m%63p", "//mcp", "/mcp/x", "/healthz/", "/mcp;x"]) {
    const { message, code } = refused(guard(request({}, { path })), 404);
    assert.deepEqual([message, code], ["Not found", -32000], path);
  }
});

Deno.test("createPathGuard() puts everything under the base path", () => {
  const based = createPathGuard({ httpBasePath: "/a/b", httpEndpoint: "/" });
  assert.deepEqual(based(request({}, { path: "/a/b" })), { ok: true, route: "mcp" });
  assert.deepEqual(based(request({}, { path: "/a/b/readyz" })), { ok: true, route: "readyz" });
  refused(based(request({}, { path: "/readyz" })), 404);
});

Deno.test("createPathGuard() refuses an address that is no URL", () => {
  // The runtime makes such requests of a malformed Host; the constructor does not.
  const malformed = { url: "http://127.0.0.1:1.evil/mcp", headers: new Headers(), method: "GET" } as Request;
  refused(guard(malformed), 404);
  assert.equal(pathOf(malformed.url), undefined);
});

Deno.test("joinPath() adds nothing for a slash alone", () => {
  assert.equal(joinPath("/", "/mcp"), "/mcp");
  assert.equal(joinPath("/a", "/mcp"), "/a/mcp");
  assert.equal(joinPath("/a", "/"), "/a");
  assert.equal(joinPath("/", "/"), "/");
});
