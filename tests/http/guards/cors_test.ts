import assert from "node:assert/strict";
import { createCors } from "../../../src/http/guards/cors.ts";
import { request } from "../requests.ts";

const ORIGIN = "https://app.example";

function preflight(origin: string): Request {
  return request({ origin, "access-control-request-method": "POST" }, { method: "OPTIONS" });
}

Deno.test("createCors() is off without an allowed origin", () => {
  const cors = createCors([]);
  assert.deepEqual(cors.headers(request({ origin: "http://localhost:3000" })), {});
  assert.equal(cors.preflight(preflight("http://localhost:3000")), undefined);
});

Deno.test("createCors() answers the preflight of an allowed origin", () => {
  const response = createCors([ORIGIN]).preflight(preflight(ORIGIN));
  assert.equal(response?.status, 204);
  assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
  assert.equal(response.headers.get("access-control-allow-methods"), "GET, POST, DELETE");
  const allowed = response.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
  for (
    const name of ["authorization", "content-type", "mcp-session-id", "mcp-protocol-version", "last-event-id"]
  ) {
    assert.ok(allowed.includes(name), name);
  }
  assert.equal(response.headers.get("access-control-allow-credentials"), null);
});

Deno.test("createCors() answers no other preflight, nor OPTIONS of another kind", () => {
  const cors = createCors([ORIGIN]);
  for (const origin of ["https://app.example:8443", "http://app.example", "https://evil.example", "null"]) {
    assert.equal(cors.preflight(preflight(origin)), undefined, origin);
  }
  assert.equal(cors.preflight(request({ origin: ORIGIN }, { method: "OPTIONS" })), undefined);
  assert.equal(
    cors.preflight(request({ origin: ORIGIN, "access-control-request-method": "POST" })),
    undefined,
  );
});

Deno.test("createCors() lets an allowed origin read answers and the session id, and names no other", () => {
  const cors = createCors([ORIGIN]);
  const granted = cors.headers(request({ origin: ORIGIN }));
  assert.equal(granted["Access-Control-Allow-Origin"], ORIGIN);
  assert.match(granted["Access-Control-Expose-Headers"] ?? "", /Mcp-Session-Id/);
  assert.deepEqual(cors.headers(request({ origin: "https://evil.example" })), { Vary: "Origin" });
  assert.deepEqual(cors.headers(request()), { Vary: "Origin" });
});
