import assert from "node:assert/strict";
import { refusalResponse, refuse } from "../../src/http/refusal.ts";

Deno.test("refusalResponse() is a JSON-RPC error without an id that nobody may store", async () => {
  const { refusal } = refuse(405, "method", "Method not allowed.", { headers: { Allow: "GET" } });
  const response = refusalResponse(refusal);
  assert.equal(response.status, 405);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("allow"), "GET");
  assert.deepEqual(await response.json(), {
    jsonrpc: "2.0",
    error: { code: -32000, message: "Method not allowed." },
    id: null,
  });
});

Deno.test("refuse() takes another code", () => {
  assert.equal(refuse(400, "body", "x", { code: -32700 }).refusal.code, -32700);
});
