import assert from "node:assert/strict";
import { checkContentType } from "../../../src/http/guards/content_type.ts";
import { PASSED } from "../../../src/http/refusal.ts";
import { refused, request } from "../requests.ts";

Deno.test("checkContentType() passes JSON with any parameters", () => {
  for (
    const type of [
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      "application/json;x",
    ]
  ) {
    assert.deepEqual(checkContentType(request({ "content-type": type })), PASSED, type);
  }
});

Deno.test("checkContentType() refuses everything else", () => {
  const wrong = [
    "text/plain",
    "",
    "application/jsonp",
    "text/plain; application/json",
    "multipart/form-data",
  ];
  for (const type of wrong) {
    assert.equal(
      refused(checkContentType(request({ "content-type": type })), 415).message,
      "Unsupported Media Type: Content-Type must be application/json",
    );
  }
  refused(checkContentType(request()), 415);
});

Deno.test("checkContentType() refuses compressed bodies", () => {
  const type = { "content-type": "application/json" };
  assert.match(
    refused(checkContentType(request({ ...type, "content-encoding": "gzip" })), 415).message,
    /Encoding/,
  );
  assert.deepEqual(checkContentType(request({ ...type, "content-encoding": "identity" })), PASSED);
});
