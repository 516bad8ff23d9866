import assert from "node:assert/strict";
import { barLine, createProgressDisplay, inBytes } from "../../src/cli/progress_display.ts";

const MIB = 1024 * 1024;

Deno.test("createProgressDisplay() writes a line for every tenth where there is no terminal", () => {
  let text = "";
  let at = 0;
  const display = createProgressDisplay({ write: (more) => text += more, now: () => at });
  for (let received = 1; received <= 200; received++) {
    at += 100;
    display.bytes({ received: received * MIB, total: 200 * MIB });
  }
  const lines = text.trimEnd().split("\n");
  assert.equal(lines.length, 10);
  assert.equal(lines[0], "10%, 20.0 MiB of 200.0 MiB, 10.0 MiB/s, 18 s left");
  assert.equal(lines[9], "100%, 200.0 MiB of 200.0 MiB, 10.0 MiB/s");
  assert.ok(!text.includes("\r") && !text.includes("\x1b"));
});

Deno.test("createProgressDisplay() writes over one line of a terminal, ten times a second at most", () => {
  const writes: string[] = [];
  let at = 0;
  const display = createProgressDisplay({
    write: (more) => writes.push(more),
    columns: () => 80,
    now: () => at,
  });
  for (let received = 1; received <= 100; received++) {
    at += 10;
    display.bytes({ received: received * MIB, total: 100 * MIB });
  }
  assert.equal(writes.at(-1), "\n");
  const drawn = writes.slice(0, -1);
  assert.equal(drawn.length, 11);
  for (const line of drawn) {
    assert.ok(line.startsWith("\r[") && line.endsWith("\x1b[K"), JSON.stringify(line));
  }
  display.message("Extracting");
  assert.equal(writes.at(-1), "Extracting\n");
});

Deno.test("createProgressDisplay() ends the bar before a message", () => {
  const writes: string[] = [];
  const display = createProgressDisplay({ write: (more) => writes.push(more), columns: () => 80 });
  display.bytes({ received: 1, total: 2 });
  display.message("next");
  display.end();
  assert.deepEqual(writes.slice(1), ["\n", "next\n"]);
});

Deno.test("createProgressDisplay() tells bytes where the size is not known", () => {
  let text = "";
  const display = createProgressDisplay({ write: (more) => text += more, now: () => 0 });
  for (let received = 8; received <= 64; received += 8) {
    display.bytes({ received: received * MIB, total: undefined });
  }
  assert.equal(text, "32.0 MiB\n64.0 MiB\n");
});

Deno.test("createProgressDisplay() measures the rate of a second host anew", () => {
  let text = "";
  let at = 0;
  const display = createProgressDisplay({ write: (more) => text += more, now: () => at });
  display.bytes({ received: 50, total: 100 });
  at = 1000;
  display.bytes({ received: 5, total: 100 });
  at = 2000;
  display.bytes({ received: 25, total: 100 });
  assert.equal(text.trimEnd().split("\n").at(-1), "25%, 25 B of 100 B, 20 B/s, 4 s left");
});

Deno.test("barLine() is never wider than the terminal", () => {
  for (let columns = 1; columns < 120; columns++) {
    const line = barLine({ received: 123 * MIB, total: 200 * MIB }, 1.5 * MIB, columns);
    assert.ok(line.length < columns, `${columns}: ${line}`);
  }
  assert.equal(
    barLine({ received: 50, total: 100 }, 10, 100),
    `[${"#".repeat(15)}${"-".repeat(15)}] 50%  50 B of 100 B  10 B/s  5 s left`,
  );
});

Deno.test("inBytes() chooses the unit", () => {
  assert.deepEqual([0, 1023, 1024, 1.5 * MIB, 3000 * MIB].map(inBytes), [
    "0 B",
    "1023 B",
    "1.0 KiB",
    "1.5 MiB",
    "2.9 GiB",
  ]);
});
