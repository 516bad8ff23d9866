import assert from "node:assert/strict";
import { describeOrigin, nameOrigin } from "../../src/settings/origin.ts";

Deno.test("describeOrigin() tells the kind of source", () => {
  assert.equal(describeOrigin({ kind: "flag", name: "--x" }), "flag --x");
  assert.equal(describeOrigin({ kind: "env", name: "X" }), "env X");
  assert.equal(describeOrigin({ kind: "file", path: "/f", key: "x" }), "file /f");
  assert.equal(describeOrigin({ kind: "default" }), "default");
});

Deno.test("nameOrigin() names the source as the user wrote it", () => {
  assert.equal(nameOrigin({ kind: "flag", name: "--x" }), "--x");
  assert.equal(nameOrigin({ kind: "file", path: "/f", key: "x" }), '"x" in /f');
});
