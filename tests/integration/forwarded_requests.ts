/** Requests whose answers are the same with and without the program between, errors included. */

export type ForwardedRequest = readonly [method: string, params?: unknown];

export const call = (name: string, args: unknown = {}): ForwardedRequest => [
  "tools/call",
  { name, arguments: args },
];

export const FORWARDED_REQUESTS: readonly ForwardedRequest[] = [
  ["tools/list", { cursor: "p2" }],
  ["tools/list", { cursor: "not a cursor" }],
  call("t1"),
  call("unknowntype"),
  call("err"),
  call("no_such_tool", { a: 1 }),
  call("utf8"),
  call("browser_close"),
  ["tools/call", { name: "meta", arguments: { a: [null, 0, "", {}] }, "x-param": { b: 1 }, _meta: { k: 1 } }],
  ["resources/list", { cursor: "r2" }],
  ["resources/read", { uri: "fake://text" }],
  ["resources/read", { uri: "fake://missing" }],
  ["prompts/get", { name: "greet", arguments: { who: "読" } }],
  ["completion/complete", {
    ref: { type: "ref/prompt", name: "greet", "x-ref": 1 },
    argument: { name: "who", value: "o" },
  }],
  ["ping"],
  ["tasks/list", { "x-future": true }],
  ["example.org/proto", JSON.parse('{"__proto__":{"a":1},"constructor":null}')],
  ["example.org/positional", [1, "two", null]],
];
