import assert from "node:assert/strict";
import { REJECTION_WINDOW_MS, Rejections } from "../../src/cdp/rejections.ts";
import { createLogger } from "../../src/telemetry/log.ts";

interface Fixture {
  readonly rejections: Rejections;
  readonly lines: Record<string, unknown>[];
  /** Moves the clock. */
  pass(ms: number): void;
  readonly timers: number;
}

function fixture(): Fixture {
  let now = 1000;
  let timers: { act: () => void; at: number }[] = [];
  const lines: Record<string, unknown>[] = [];
  const rejections = new Rejections({
    log: createLogger({ level: "warn", format: "json", write: (line) => lines.push(JSON.parse(line)) }),
    now: () => now,
    schedule: (act, ms) => {
      const timer = { act, at: now + ms };
      timers.push(timer);
      return () => timers = timers.filter((each) => each !== timer);
    },
  });
  return {
    rejections,
    lines,
    pass(ms): void {
      now += ms;
      for (const { act } of timers.filter(({ at }) => at <= now)) act();
    },
    get timers() {
      return timers.length;
    },
  };
}

Deno.test("Rejections tells once a minute what was refused", () => {
  const { rejections, lines, pass } = fixture();
  for (let count = 0; count < 1000; count++) rejections.count("capability");
  rejections.count("host");
  pass(REJECTION_WINDOW_MS - 1);
  assert.equal(lines.length, 0);
  pass(1);
  assert.equal(lines.length, 1);
  const [{ level, message, window_seconds, capability, host, origin } = {}] = lines;
  assert.deepEqual(
    { level, message, window_seconds, capability, host, origin },
    {
      level: "warn",
      message: "cdp_security_rejections",
      window_seconds: 60,
      capability: 1000,
      host: 1,
      origin: 0,
    },
  );
  pass(10 * REJECTION_WINDOW_MS);
  assert.equal(lines.length, 1, "nothing to tell");
  rejections.count("origin");
  pass(REJECTION_WINDOW_MS);
  assert.equal(lines[1]?.origin, 1);
  assert.equal(lines[1]?.capability, 0);
});

Deno.test("Rejections tells the rest at its end, and leaves no timer", () => {
  const run = fixture();
  run.rejections[Symbol.dispose]();
  assert.equal(run.lines.length, 0);
  run.rejections.count("host");
  run.pass(5_000);
  run.rejections[Symbol.dispose]();
  assert.equal(run.lines[0]?.window_seconds, 5);
  assert.equal(run.lines[0]?.host, 1);
  assert.equal(run.timers, 0);
  run.rejections[Symbol.dispose]();
  assert.equal(run.lines.length, 1);
});
