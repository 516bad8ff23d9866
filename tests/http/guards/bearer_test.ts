import assert from "node:assert/strict";
import { createBearerGuard } from "../../../src/http/guards/bearer.ts";
import { refused, request } from "../requests.ts";

const guard = createBearerGuard(["first-token", "second-token"]);

function owner(authorization: string): string | undefined {
  const verdict = guard(request({ authorization }));
  assert.ok(verdict.ok, authorization);
  return verdict.owner;
}

Deno.test("createBearerGuard() passes each of its tokens and tells them apart", () => {
  assert.notEqual(owner("Bearer first-token"), owner("Bearer second-token"));
  assert.match(owner("Bearer first-token") ?? "", /^[0-9a-f]{16}$/);
});

Deno.test("createBearerGuard() takes the scheme in any case and any blanks between", () => {
  for (const header of ["bearer first-token", "BEARER  first-token", " Bearer\tfirst-token "]) {
    assert.equal(owner(header), owner("Bearer first-token"));
  }
});

Deno.test("createBearerGuard() names the same owner in every process", () => {
  const other = createBearerGuard(["first-token"])(request({ authorization: "Bearer first-token" }));
  assert.ok(other.ok);
  assert.equal(other.owner, owner("Bearer first-token"));
});

Deno.test("createBearerGuard() refuses everything else with the scheme to use", () => {
  const wrong = ["", "Bearer", "Bearer first", "Bearer FIRST-TOKEN", "Basic first-token", "first-token"];
  for (const authorization of [...wrong, "Bearer first-token x", "Bearer first-token, Bearer first-token"]) {
    const { headers, message, code } = refused(guard(request({ authorization })), 401);
    assert.deepEqual([headers["WWW-Authenticate"], message, code], ["Bearer", "Unauthorized", -32000]);
  }
  refused(guard(request()), 401);
});

Deno.test("createBearerGuard() never looks for a token in the address", () => {
  refused(guard(request({}, { path: "/mcp?access_token=first-token&token=first-token" })), 401);
});

Deno.test("createBearerGuard() lets everybody in where there is no token", () => {
  const open = createBearerGuard([]);
  assert.deepEqual(open(request()), { ok: true, owner: undefined });
  assert.deepEqual(open(request({ authorization: "Bearer x" })), { ok: true, owner: undefined });
});
