import assert from "node:assert/strict";
import { devToolsPath, ForeignAddress, rewriteAddresses } from "../../src/cdp/rewrite.ts";

const BASE = "wss://svc.example:443/cdp/CAP";

Deno.test("rewriteAddresses() puts the advertised base in front, wherever an address stands", () => {
  const given = {
    webSocketDebuggerUrl: "ws://127.0.0.1:4000/devtools/browser/b-1",
    list: [{ webSocketDebuggerUrl: "ws://127.0.0.1:4000/devtools/page/A", title: "ws://127.0.0.1/x", n: 1 }],
  };
  assert.deepEqual(JSON.parse(rewriteAddresses(JSON.stringify(given), 4000, BASE)), {
    webSocketDebuggerUrl: `${BASE}/devtools/browser/b-1`,
    list: [{ webSocketDebuggerUrl: `${BASE}/devtools/page/A`, title: "ws://127.0.0.1/x", n: 1 }],
  });
});

Deno.test("rewriteAddresses() leaves the front end out", () => {
  const given = '[{"devtoolsFrontendUrl":"https://a.example/?ws=127.0.0.1:4000/devtools/page/A","id":"A"}]';
  assert.equal(rewriteAddresses(given, 4000, BASE), '[{"id":"A"}]');
});

Deno.test("rewriteAddresses() keeps __proto__ as plain data", () => {
  assert.equal(rewriteAddresses('{"__proto__":{"a":1},"b":2}', 4000, BASE), '{"__proto__":{"a":1},"b":2}');
  assert.equal(({} as { a?: number }).a, undefined);
});

Deno.test("rewriteAddresses() refuses what is no JSON", () => {
  assert.throws(() => rewriteAddresses("{nothing", 4000, BASE), SyntaxError);
});

Deno.test("devToolsPath() takes addresses of the port that was asked, and no other", () => {
  assert.equal(devToolsPath("ws://127.0.0.1:4000/devtools/page/A", 4000), "/devtools/page/A");
  const foreign = [
    "ws://127.0.0.1:4001/devtools/page/A",
    "ws://127.0.0.1/devtools/page/A",
    "ws://evil.example:4000/devtools/page/A",
    "wss://127.0.0.1:4000/devtools/page/A",
    "http://127.0.0.1:4000/devtools/page/A",
    "ws://u@127.0.0.1:4000/devtools/page/A",
    "ws://127.0.0.1:4000/devtools/page/A?b",
    "ws://127.0.0.1:4000/devtools/page/A#b",
    "ws://127.0.0.1:4000/other/A",
    "nonsense",
    "",
    null,
    7,
    {},
  ];
  for (const address of foreign) assert.throws(() => devToolsPath(address, 4000), ForeignAddress);
});
