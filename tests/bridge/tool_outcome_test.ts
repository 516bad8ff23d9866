import assert from "node:assert/strict";
import { outcomeOf } from "../../src/bridge/tool_outcome.ts";

function outcome(message: unknown, failed = false): string {
  return outcomeOf(failed, new TextEncoder().encode(JSON.stringify(message)));
}

Deno.test("outcomeOf() tells a tool's error from its result and from an error of the protocol", () => {
  const answer = (result: unknown): unknown => ({ jsonrpc: "2.0", result, id: 1 });
  assert.equal(outcome(answer({ content: [], isError: true })), "tool_error");
  assert.equal(outcome(answer({ content: [], isError: false })), "ok");
  assert.equal(outcome(answer({ content: [] })), "ok");
  assert.equal(outcome({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } }, true), "rpc_error");
});

Deno.test("outcomeOf() takes the member of the result itself, not one that is named alike deeper or beside it", () => {
  const deep = {
    jsonrpc: "2.0",
    id: 1,
    isError: true,
    result: { content: [{ isError: true }], text: '"isError":true' },
  };
  assert.equal(outcome(deep), "ok");
  assert.equal(outcome({ jsonrpc: "2.0", id: 1, result: ["isError", true] }), "ok");
  assert.equal(outcome({ jsonrpc: "2.0", id: 1, result: null }), "ok");
});

Deno.test("outcomeOf() does not search an answer of many megabytes: failures are texts", () => {
  const long = "x".repeat(300 * 1024);
  assert.equal(outcome({ jsonrpc: "2.0", id: 1, result: { content: [{ text: long }] } }), "ok");
  const failure = { content: [{ text: "x".repeat(100 * 1024) }], isError: true };
  assert.equal(outcome({ jsonrpc: "2.0", id: 1, result: failure }), "tool_error");
});
