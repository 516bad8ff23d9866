import assert from "node:assert/strict";
import type { JsonObject } from "../../src/protocol/json_rpc.ts";
import { cursorOf, ToolList } from "../../src/bridge/tool_list.ts";

const LOCAL = [{ name: "local_a" }, { name: "local_b" }];
const page = (names: string[], nextCursor?: string): JsonObject => ({
  tools: names.map((name) => ({ name, "x-ext": 1 })),
  ...(nextCursor === undefined ? {} : { nextCursor }),
});
const namesOf = (listed: JsonObject | undefined): unknown[] =>
  (listed?.["tools"] as { name: string }[]).map((tool) => tool.name);

Deno.test("ToolList.take() appends the local tools to the first page only and keeps every other field", () => {
  const list = new ToolList(LOCAL);
  assert.equal(list.toolCount, undefined);
  const first = list.take(undefined, { ...page(["t1"], "p2"), _meta: { a: 1 } });
  assert.deepEqual(first, {
    tools: [{ name: "t1", "x-ext": 1 }, ...LOCAL],
    nextCursor: "p2",
    _meta: { a: 1 },
  });
  assert.deepEqual(list.take("p2", page(["t2"])), page(["t2"]));
  assert.equal(list.toolCount, 2);
});

Deno.test("ToolList.recall() repeats what was listed and nothing else", () => {
  const list = new ToolList(LOCAL);
  assert.equal(list.recall(undefined), undefined);
  list.take(undefined, page(["t1"], "p2"));
  assert.deepEqual(namesOf(list.recall(undefined)), ["t1", "local_a", "local_b"]);
  assert.equal(list.recall("p2"), undefined);
});

Deno.test("ToolList.differs() compares page by page as far as the client followed", async () => {
  const list = new ToolList(LOCAL);
  const serve = (pages: Record<string, JsonObject>) => (cursor: string | undefined) =>
    Promise.resolve(pages[cursor ?? ""]);
  assert.equal(await list.differs(serve({ "": page(["other"]) })), false, "nothing listed yet");
  list.take(undefined, page(["t1"], "p2"));
  assert.equal(await list.differs(serve({ "": page(["t1"], "p2") })), false);
  assert.equal(await list.differs(serve({ "": page(["t1"]) })), true, "no second page any more");
  list.take("p2", page(["t2"]));
  assert.equal(await list.differs(serve({ "": page(["t1"], "p2"), p2: page(["t2"]) })), false);
  assert.equal(await list.differs(serve({ "": page(["t1"], "p2"), p2: page(["t3"]) })), true);
  assert.equal(await list.differs(() => Promise.resolve(undefined)), false, "no answer proves nothing");
});

Deno.test("ToolList.differs() ends where cursors do not", async () => {
  const list = new ToolList(LOCAL);
  list.take(undefined, page(["t1"], "again"));
  list.take("again", page(["t1"], "again"));
  assert.equal(await list.differs(() => Promise.resolve(page(["t1"], "again"))), false);
});

Deno.test("cursorOf() reads a cursor only where there is one", () => {
  assert.deepEqual([undefined, {}, { cursor: 3 }, { cursor: "c" }].map(cursorOf), [
    undefined,
    undefined,
    undefined,
    "c",
  ]);
});

Deno.test("ToolList.listed() knows local tools and every name that the client was told, and keeps no flood of them", () => {
  const list = new ToolList(LOCAL);
  assert.equal(list.listed("local_a"), "local_a");
  assert.equal(list.listed("t1"), undefined);
  list.take(undefined, page(["t1"], "p2"));
  list.take("p2", page(["t2"]));
  list.take(undefined, page(["t3"]));
  for (const name of ["t1", "t2", "t3"]) assert.equal(list.listed(name), name);
  for (const name of ["t4", "", undefined, null, 1, {}]) assert.equal(list.listed(name), undefined);
  list.take(undefined, page(Array.from({ length: 5000 }, (_, index) => `flood_${index}`)));
  assert.equal(list.listed("flood_0"), "flood_0");
  assert.equal(list.listed("flood_4999"), undefined);
});
