import assert from "node:assert/strict";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { checkProtocolVersion, PROTOCOL_VERSIONS } from "../../../src/http/guards/protocol_version.ts";
import { PASSED } from "../../../src/http/refusal.ts";
import { refused, request } from "../requests.ts";

const check = (version: string, negotiated?: string): ReturnType<typeof checkProtocolVersion> =>
  checkProtocolVersion(request({ "mcp-protocol-version": version }), negotiated);

Deno.test("PROTOCOL_VERSIONS are those of the SDK", () => {
  assert.deepEqual([...PROTOCOL_VERSIONS].sort(), [...SUPPORTED_PROTOCOL_VERSIONS].sort());
});

Deno.test("checkProtocolVersion() passes known and negotiated versions, and none", () => {
  for (const version of PROTOCOL_VERSIONS) assert.deepEqual(check(version), PASSED);
  assert.deepEqual(checkProtocolVersion(request()), PASSED);
  assert.deepEqual(check("2026-07-28", "2026-07-28"), PASSED);
});

Deno.test("checkProtocolVersion() refuses the others and names the known ones", () => {
  for (const version of ["1999-01-01", "x", "2026-07-28", "", "2025-11-25, 2025-11-25"]) {
    const { message } = refused(check(version, "2025-11-25"), 400);
    assert.match(message, /^Bad Request: Unsupported protocol version: .*2025-11-25/);
  }
});
