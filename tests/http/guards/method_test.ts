import assert from "node:assert/strict";
import { checkMethod, MCP_METHODS, PROBE_METHODS } from "../../../src/http/guards/method.ts";
import { PASSED } from "../../../src/http/refusal.ts";
import { refused, request } from "../requests.ts";

Deno.test("checkMethod() passes the methods that there are", () => {
  for (const method of MCP_METHODS) {
    assert.deepEqual(checkMethod(request({}, { method }), MCP_METHODS), PASSED);
  }
  assert.deepEqual(checkMethod(request({}, { method: "HEAD" }), PROBE_METHODS), PASSED);
});

Deno.test("checkMethod() refuses the others and names those that there are", () => {
  for (const method of ["PUT", "PATCH", "OPTIONS", "HEAD", "BREW"]) {
    const { headers, message } = refused(checkMethod(request({}, { method }), MCP_METHODS), 405);
    assert.deepEqual([headers["Allow"], message], ["GET, POST, DELETE", "Method not allowed."]);
  }
  assert.equal(
    refused(checkMethod(request({}, { method: "POST" }), PROBE_METHODS), 405).headers["Allow"],
    "GET, HEAD",
  );
});
