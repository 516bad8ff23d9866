import assert from "node:assert/strict";
import { createLogger, type LogFormat, type Logger, type LogLevel } from "../../src/telemetry/log.ts";

function capture(level: LogLevel, format: LogFormat = "text"): { lines: string[]; log: Logger } {
  const lines: string[] = [];
  const now = (): Date => new Date("2026-01-02T03:04:05.678Z");
  return { lines, log: createLogger({ level, format, write: (line) => lines.push(line), now }) };
}

Deno.test("createLogger() writes time, level, message and sorted fields as text", () => {
  const { lines, log } = capture("info");
  log.with({ session: "s1" }).info("tool call", {
    tool: "browser_click",
    ms: 3,
    note: "two words",
    none: undefined,
  });
  assert.deepEqual(lines, [
    '2026-01-02T03:04:05.678Z INFO cloakbrowser-mcp tool call ms=3 note="two words" session=s1 tool=browser_click',
  ]);
});

Deno.test("createLogger() keeps a line a line whatever is in it", () => {
  const { lines, log } = capture("info");
  log.info("a\nb", { c: "d\ne", f: "g=h", i: "" });
  assert.deepEqual(lines, ['2026-01-02T03:04:05.678Z INFO cloakbrowser-mcp a b c="d\\ne" f="g=h" i=""']);
});

Deno.test("createLogger() writes one JSON object a line", () => {
  const { lines, log } = capture("trace", "json");
  log.with({ session: "s1" }).trace("hello", { n: 1 });
  assert.deepEqual(lines.map((line) => JSON.parse(line)), [
    { time: "2026-01-02T03:04:05.678Z", level: "trace", message: "hello", session: "s1", n: 1 },
  ]);
});

Deno.test("createLogger() drops what is below its level", () => {
  const { lines, log } = capture("warn");
  log.info("no");
  log.warn("yes");
  log.fatal("yes");
  assert.equal(lines.length, 2);
  assert.deepEqual([log.enabled("debug"), log.enabled("error")], [false, true]);
  const silent = capture("silent");
  silent.log.fatal("no");
  assert.deepEqual(silent.lines, []);
});
