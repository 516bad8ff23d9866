import assert from "node:assert/strict";
import {
  embeddedInitializeResult,
  isCompleteInitialize,
  mergeInitializeResult,
  SERVER_INFO,
} from "../../src/bridge/handshake.ts";

const PARAMS = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } };

Deno.test("isCompleteInitialize() accepts what the protocol asks for and nothing less", () => {
  assert.ok(isCompleteInitialize(PARAMS));
  assert.ok(isCompleteInitialize({ ...PARAMS, _meta: {}, extra: 1 }));
  for (
    const params of [
      undefined,
      [],
      {},
      { ...PARAMS, protocolVersion: 1 },
      { ...PARAMS, capabilities: null },
      { ...PARAMS, clientInfo: { name: "c" } },
    ]
  ) assert.equal(isCompleteInitialize(params), false);
});

Deno.test("mergeInitializeResult() puts our name on it and leaves the rest", () => {
  const merged = mergeInitializeResult({
    protocolVersion: "2025-06-18",
    capabilities: { tools: { "x-a": 1 }, logging: {}, experimental: { y: {} } },
    serverInfo: { name: "Playwright", version: "1" },
    instructions: "Theirs.",
    "x-ext": [1],
  });
  assert.deepEqual(merged["capabilities"], {
    tools: { "x-a": 1, listChanged: true },
    logging: {},
    experimental: { y: {} },
  });
  assert.equal(merged["serverInfo"], SERVER_INFO);
  assert.match(String(merged["instructions"]), /browser_snapshot[^]*\n\nTheirs\.$/);
  assert.deepEqual([merged["protocolVersion"], merged["x-ext"]], ["2025-06-18", [1]]);
});

Deno.test("SERVER_INFO has what a client shows: title, website and icon", () => {
  assert.ok(SERVER_INFO.title && URL.canParse(SERVER_INFO.websiteUrl));
  assert.match(SERVER_INFO.icons[0].src, /^data:image\/svg\+xml,/);
});

Deno.test("embeddedInitializeResult() negotiates the protocol version as the specification says", () => {
  assert.equal(embeddedInitializeResult(PARAMS)["protocolVersion"], "2025-06-18");
  assert.equal(
    embeddedInitializeResult({ ...PARAMS, protocolVersion: "2099-01-01" })["protocolVersion"],
    "2025-11-25",
  );
});
