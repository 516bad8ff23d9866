import assert from "node:assert/strict";
import fc from "fast-check";
import {
  alternatives,
  parseBoolean,
  parseChoice,
  parseInteger,
  parseJsonValue,
  parsePath,
  parseStringList,
  parseTexts,
} from "../../src/settings/grammar.ts";
import { OPTIONS } from "../../src/settings/option_table.ts";

Deno.test("parseBoolean() takes true and false in any case and between blanks", () => {
  for (const text of ["true", "TRUE", " True\t", "\ntrue "]) {
    assert.deepEqual(parseBoolean(text), { ok: true, value: true });
  }
  for (const text of ["false", "False", "  FALSE "]) {
    assert.deepEqual(parseBoolean(text), { ok: true, value: false });
  }
});

Deno.test("parseBoolean() refuses everything else", () => {
  for (const text of ["", " ", "1", "0", "yes", "on", "off", "t", "truee", "true false", "truе"]) {
    assert.equal(parseBoolean(text).ok, false, text);
  }
});

Deno.test("parseInteger() takes digits with an optional minus", () => {
  const accepted: [string, number][] = [["0", 0], ["-0", 0], ["007", 7], [" 42 ", 42], ["-5", -5]];
  for (const [text, value] of accepted) assert.deepEqual(parseInteger(text, -10, 100), { ok: true, value });
});

Deno.test("parseInteger() refuses other notations", () => {
  for (
    const text of ["", "12abc", "1.0", "1e3", "0x10", "+5", "1_000", "--5", "- 5", "٣", "Infinity", "NaN"]
  ) {
    assert.equal(parseInteger(text, 0, 1000).ok, false, text);
  }
});

Deno.test("parseInteger() names the range for a number outside it", () => {
  for (const text of ["0", "11", "9007199254740993", "-1", "9".repeat(400)]) {
    const verdict = parseInteger(text, 1, 10);
    assert.ok(!verdict.ok && /from 1 to 10/.test(verdict.problem), text);
  }
});

Deno.test("parseInteger() takes every safe integer of its range, as a property", () => {
  fc.assert(fc.property(fc.maxSafeInteger(), (value) => {
    const verdict = parseInteger(String(value), Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    assert.deepEqual(verdict, { ok: true, value: value === 0 ? 0 : value });
  }));
});

Deno.test("parseChoice() names the choices", () => {
  assert.deepEqual(parseChoice(" b ", ["a", "b"], false), { ok: true, value: "b" });
  const verdict = parseChoice("B", ["a", "b"], false);
  assert.ok(!verdict.ok && verdict.problem.includes('"a" or "b"'));
  assert.deepEqual(parseChoice("WARN", ["warn"], true), { ok: true, value: "warn" });
});

Deno.test("alternatives() reads as a sentence", () => {
  assert.equal(alternatives(["a"]), '"a"');
  assert.equal(alternatives(["a", "b", "c"]), '"a", "b" or "c"');
});

Deno.test("parseStringList() takes a comma list without blank items", () => {
  assert.deepEqual(parseStringList(" --a , --b=c ,, "), { ok: true, value: ["--a", "--b=c"] });
  assert.deepEqual(parseStringList(""), { ok: true, value: [] });
});

Deno.test("parseStringList() takes an address in brackets for an item", () => {
  assert.deepEqual(parseStringList("[::1]:80, [2001:db8::1]"), {
    ok: true,
    value: ["[::1]:80", "[2001:db8::1]"],
  });
});

Deno.test("parseStringList() takes back any list of strings as JSON, as a property", () => {
  fc.assert(fc.property(fc.array(fc.string({ unit: "binary" })), (list) => {
    assert.deepEqual(parseStringList(JSON.stringify(list)), { ok: true, value: list });
  }));
});

Deno.test("parseStringList() takes back any list of plain words as a comma list, as a property", () => {
  const word = fc.string({ minLength: 1 })
    .map((text) => text.replaceAll(",", "").trim())
    .filter((text) => text !== "" && !text.startsWith("["));
  fc.assert(fc.property(fc.array(word), (list) => {
    assert.deepEqual(parseStringList(list.join(",")), { ok: true, value: list });
  }));
});

Deno.test("parseStringList() refuses JSON that is no array of strings", () => {
  for (const text of ["[", "[1]", '["a", null]', '["a"', " [[]] "]) {
    assert.equal(parseStringList(text).ok, false, text);
  }
});

Deno.test("parsePath() makes a path absolute from its base", () => {
  assert.deepEqual(parsePath(" a/../b ", "/base"), { ok: true, value: "/base/b" });
  assert.deepEqual(parsePath("/x", "/base"), { ok: true, value: "/x" });
  assert.equal(parsePath("  ", "/base").ok, false);
  assert.equal(parsePath("a\0b", "/base").ok, false);
});

Deno.test("parseTexts() wants a JSON array that starts with a program as a command", () => {
  const { upstreamCommand } = OPTIONS;
  assert.deepEqual(parseTexts(upstreamCommand, ['["node", "a b"]'], "/"), {
    ok: true,
    value: ["node", "a b"],
  });
  for (const text of ["node server.js", "[]", '[""]', '["  "]', "[1]", '{"a":1}', ""]) {
    assert.equal(parseTexts(upstreamCommand, [text], "/").ok, false, text);
  }
});

Deno.test("parseTexts() adds up the values of a repeated list flag", () => {
  assert.deepEqual(parseTexts(OPTIONS.extraArgs, ["--a,--b", '["--c=1,2"]'], "/"), {
    ok: true,
    value: ["--a", "--b", "--c=1,2"],
  });
});

Deno.test("parseJsonValue() wants the JSON type of its option", () => {
  const wrong: [keyof typeof OPTIONS, unknown, RegExp][] = [
    ["headless", "true", /true or false/],
    ["headless", null, /true or false/],
    ["drainTimeoutMs", "5", /whole number from 0/],
    ["drainTimeoutMs", 1.5, /whole number/],
    ["drainTimeoutMs", 1e300, /whole number/],
    ["drainTimeoutMs", -1, /from 0 to/],
    ["browserEngine", 1, /"cloak", "playwright" or "auto"/],
    ["browserEngine", "Cloak", /"cloak", "playwright" or "auto"/],
    ["binaryPath", ["a"], /a string/],
    ["binaryPath", " ", /blank/],
    ["extraArgs", "--a,--b", /array of strings/],
    ["extraArgs", ["--a", 1], /array of strings/],
    ["initPages", "a.ts", /array of strings/],
    ["upstreamCommand", "node", /array of strings/],
    ["upstreamCommand", [], /name of a program/],
    ["downloadUrl", "ftp://x", /http or https/],
  ];
  for (const [key, value, problem] of wrong) {
    const verdict = parseJsonValue(OPTIONS[key], value, "/");
    assert.ok(!verdict.ok, `${key} ${JSON.stringify(value)}`);
    assert.match(verdict.problem, problem);
  }
});

Deno.test("parseJsonValue() takes the right JSON types", () => {
  assert.deepEqual(parseJsonValue(OPTIONS.headless, false, "/"), { ok: true, value: false });
  assert.deepEqual(parseJsonValue(OPTIONS.drainTimeoutMs, 7, "/"), { ok: true, value: 7 });
  assert.deepEqual(parseJsonValue(OPTIONS.initPages, ["a.ts", "/b.ts"], "/etc"), {
    ok: true,
    value: ["/etc/a.ts", "/b.ts"],
  });
  assert.deepEqual(parseJsonValue(OPTIONS.extraArgs, [" a,b "], "/"), { ok: true, value: [" a,b "] });
});
