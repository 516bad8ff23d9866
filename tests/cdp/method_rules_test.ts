import assert from "node:assert/strict";
import { MethodRules } from "../../src/cdp/method_rules.ts";

const rules = new MethodRules(["Browser.close", "Storage.*"]);

function judge(message: unknown): unknown {
  const answer = rules.judge(typeof message === "string" ? message : JSON.stringify(message));
  return answer === undefined ? "passes" : JSON.parse(answer);
}

Deno.test("MethodRules denies methods and whole domains", () => {
  assert.ok(rules.denies("Browser.close"));
  assert.ok(rules.denies("Storage.clearCookies"));
  assert.ok(!rules.denies("Browser.closeTarget"));
  assert.ok(!rules.denies("StorageX.a"));
  assert.ok(!rules.denies("browser.close"), "Chromium knows no other spelling");
  assert.ok(new MethodRules(["*"]).denies("A.b"));
});

Deno.test("MethodRules denies the way around itself", () => {
  assert.ok(rules.denies("Target.exposeDevToolsProtocol"));
});

Deno.test("MethodRules answers what is refused with id and session", () => {
  assert.equal(judge({ id: 1, method: "Page.navigate", params: { url: "a" } }), "passes");
  assert.deepEqual(judge({ id: 1, method: "Browser.close" }), {
    id: 1,
    error: { code: -32000, message: '"Browser.close" is not allowed on this endpoint' },
  });
  assert.deepEqual(judge({ id: 2, method: "Storage.getCookies", sessionId: "S" }), {
    id: 2,
    error: { code: -32000, message: '"Storage.getCookies" is not allowed on this endpoint' },
    sessionId: "S",
  });
});

Deno.test("MethodRules looks into wrapped messages, however deep", () => {
  const wrap = (message: unknown): object => ({
    id: 5,
    method: "Target.sendMessageToTarget",
    params: { sessionId: "T", message: typeof message === "string" ? message : JSON.stringify(message) },
  });
  const code = (message: unknown): unknown => (judge(message) as { error?: { code: number } }).error?.code;
  assert.equal(judge(wrap({ id: 1, method: "Page.enable" })), "passes");
  assert.equal(code(wrap({ id: 1, method: "Browser.close" })), -32000);
  assert.equal(code(wrap(wrap({ id: 1, method: "Browser.close" }))), -32000);
  assert.equal(code(wrap("nonsense")), -32700);
  assert.equal(code({ id: 1, method: "Target.sendMessageToTarget", params: {} }), -32700);
  const twice =
    '{"id":1,"method":"Target.sendMessageToTarget","params":{"message":"{\\"method\\":\\"A.b\\"}",' +
    '"message":"{\\"method\\":\\"Browser.close\\"}"}}';
  assert.equal(code(twice), -32700);
});

Deno.test("MethodRules refuses what Chromium might read in another way", () => {
  const code = (text: string): unknown => (judge(text) as { error?: { code: number } }).error?.code;
  const texts = [
    '{"id":1,"method":"Page.enable","method":"Browser.close"}',
    '{"id":1,"method":"Page.enable","\\u006dethod":"Browser.close"}',
    '/**/{"id":1,"method":"Browser.close"}',
    '{"id":1,"method":"Browser.close",}',
    '\ufeff{"id":1,"method":"Browser.close"}',
    '[{"id":1,"method":"Browser.close"}]',
    "",
    "7",
  ];
  for (const text of texts) assert.equal(code(text), -32700, text);
  assert.equal(code('{"id":1}'), -32600);
  assert.equal(code('{"id":1,"method":["Browser.close"]}'), -32600);
  assert.equal(code('{"id":1,"\\u006dethod":"Browser.close"}'), -32000);
});

Deno.test("MethodRules is not led astray by names in strings and arrays", () => {
  const messages = [
    {
      id: 1,
      method: "Runtime.evaluate",
      params: { expression: '{"a":1,"a":2}', list: ["a", "a", { a: 1 }, { a: 2 }] },
    },
    {
      id: 1,
      method: "Runtime.evaluate",
      params: { a: "\\", "b\\": '"', c: "]},{[", d: [[]], e: {} },
      sessionId: "a",
    },
    { id: 1, method: "Runtime.evaluate", params: { id: 2, method: "Browser.close" } },
  ];
  for (const message of messages) assert.equal(judge(message), "passes", JSON.stringify(message));
});

Deno.test("MethodRules lets a watcher attach, and hold nothing", () => {
  const watching = new MethodRules([], ["Target.setAutoAttach"]);
  const attach = (waitForDebuggerOnStart: unknown): string | undefined =>
    watching.judge(
      JSON.stringify({ id: 1, method: "Target.setAutoAttach", params: { waitForDebuggerOnStart } }),
    );
  for (const harmless of [false, undefined]) assert.equal(attach(harmless), undefined);
  for (const holding of [true, 1, "true"]) assert.match(attach(holding) ?? "", /waitForDebuggerOnStart/);
  const denying = new MethodRules(["Browser.close"]);
  const usual = { id: 1, method: "Target.setAutoAttach", params: { waitForDebuggerOnStart: true } };
  assert.equal(denying.judge(JSON.stringify(usual)), undefined);
});
