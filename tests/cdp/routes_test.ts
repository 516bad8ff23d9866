import assert from "node:assert/strict";
import { discoveryRoute, socketRoute, splitPath } from "../../src/cdp/routes.ts";

function discovery(rest: string, query?: string): string {
  const matched = discoveryRoute(rest, query);
  return matched.ok ? `${matched.route.method} ${matched.route.path}` : matched.code;
}

function socket(rest: string, query?: string): string | undefined {
  const matched = socketRoute(rest, query);
  return matched.ok ? matched.route.path : matched.code;
}

Deno.test("splitPath() finds the capability", () => {
  assert.deepEqual(splitPath("/cdp/abc/json"), { given: "abc", rest: "/json" });
  assert.deepEqual(splitPath("/cdp/abc/"), { given: "abc", rest: "/" });
  assert.deepEqual(splitPath("/cdp/abc"), { given: "abc", rest: "" });
  assert.deepEqual(splitPath("/cdp/"), { given: "", rest: "" });
  assert.deepEqual(splitPath("/json"), { given: undefined, rest: "/json" });
});

Deno.test("discoveryRoute() knows every route, with or without a slash at its end", () => {
  const routes = {
    "/json": "GET /json/list",
    "/json/list": "GET /json/list",
    "/json/version": "GET /json/version",
    "/json/protocol": "GET /json/protocol",
    "/json/new": "PUT /json/new",
    "/json/activate/A_b-1": "GET /json/activate/A_b-1",
    "/json/close/A_b-1": "GET /json/close/A_b-1",
  };
  for (const [path, route] of Object.entries(routes)) {
    assert.equal(discovery(path), route);
    assert.equal(discovery(`${path}/`), route);
  }
  assert.equal(discovery("/json/new", "http://a/?b=%20"), "PUT /json/new?http://a/?b=%20");
});

Deno.test("discoveryRoute() knows no other spelling", () => {
  const paths = [
    "",
    "/",
    "/json//",
    "/json/list//",
    "//json",
    "/JSON",
    "/json/%6cist",
    "/json/../json",
    "/json/close",
  ];
  const more = [
    "/json/close/",
    "/json/constructor",
    "/json/toString/a",
    "/json/other",
    "/devtools/page/A",
    "/json/list/a",
  ];
  for (const path of [...paths, ...more]) assert.equal(discovery(path), "not_found", path);
});

Deno.test("discoveryRoute() refuses ids and queries of another form", () => {
  for (const id of ["a.b", "%41", "a/b", "a b", "é"]) {
    assert.equal(discovery(`/json/close/${id}`), "bad_request", id);
  }
  for (const path of ["/json", "/json/list", "/json/version", "/json/protocol", "/json/close/A"]) {
    assert.equal(discovery(path, ""), "bad_request", path);
  }
  assert.equal(discovery("/json/new", "%"), "bad_request");
  assert.equal(discovery("/json/new", "%ff"), "bad_request");
});

Deno.test("socketRoute() leads to the browser and to every target", () => {
  assert.equal(socket(""), undefined);
  assert.equal(socket("/"), undefined);
  assert.equal(socket("/devtools/browser/a-1"), "/devtools/browser/a-1");
  assert.equal(socket("/devtools/page/A_1"), "/devtools/page/A_1");
  assert.equal(socket("/devtools/page/a.b"), "bad_request");
  for (
    const path of ["/devtools", "/devtools/page", "/devtools/page/", "/devtools/other/A", "/json/version"]
  ) {
    assert.equal(socket(path), "not_found", path);
  }
  assert.equal(socket("/devtools/page/A", "x"), "not_found");
  assert.equal(socket("", ""), "not_found");
});
