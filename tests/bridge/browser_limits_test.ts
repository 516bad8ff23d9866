import assert from "node:assert/strict";
import { type BrowserLimits, BrowserLimitWatch } from "../../src/bridge/browser_limits.ts";

const MIB = 1024 * 1024;

class Run {
  time = 0;
  bytes: number | undefined = 0;
  readonly asked: number[] = [];
  readonly watch: BrowserLimitWatch;

  constructor(limits: BrowserLimits) {
    this.watch = new BrowserLimitWatch({
      ...limits,
      usedBytes: (pid) => {
        this.asked.push(pid);
        return Promise.resolve(this.bytes);
      },
      now: () => this.time,
    });
  }
}

Deno.test("BrowserLimitWatch counts the age from the first call of a generation", () => {
  const run = new Run({ maxAgeMs: 1000 });
  run.time = 5000;
  assert.equal(run.watch.exceeded(1), undefined, "nothing has run");
  run.watch.callStarted(1);
  run.time = 6000;
  run.watch.callStarted(1);
  assert.equal(run.watch.exceeded(1), undefined);
  run.time = 6001;
  assert.match(run.watch.exceeded(1) ?? "", /1000 ms of --browser-max-age/);
  assert.equal(run.watch.exceeded(2), undefined, "another generation");
  run.watch.callStarted(2);
  assert.equal(run.watch.exceeded(2), undefined);
});

Deno.test("BrowserLimitWatch looks at the memory after a call, and not after each", async () => {
  const run = new Run({ maxBytes: 100 * MIB });
  run.watch.callStarted(1);
  run.bytes = 100 * MIB;
  await run.watch.callEnded(1, 17);
  assert.equal(run.watch.exceeded(1), undefined, "as much as is allowed");
  run.bytes = 150 * MIB;
  run.time = 4999;
  await run.watch.callEnded(1, 17);
  assert.equal(run.watch.exceeded(1), undefined, "not looked yet");
  run.time = 5000;
  await run.watch.callEnded(1, 17);
  assert.match(run.watch.exceeded(1) ?? "", /held 150 MiB, more than the 100 MiB of --browser-max-memory/);
  assert.deepEqual(run.asked, [17, 17]);
  run.watch.callStarted(2);
  assert.equal(run.watch.exceeded(2), undefined, "a fresh browser");
  await run.watch.callEnded(1, 17);
  assert.deepEqual(run.asked, [17, 17], "the former is of no interest");
});

Deno.test("BrowserLimitWatch knows the pages that are open now, of this generation alone", () => {
  const run = new Run({ maxPages: 2 });
  run.watch.callStarted(1);
  run.watch.pagesOpen(1, 2);
  assert.equal(run.watch.exceeded(1), undefined, "as many as are allowed");
  run.watch.pagesOpen(1, 3);
  assert.match(run.watch.exceeded(1) ?? "", /had 3 pages open, more than the 2 of --max-pages/);
  run.watch.callStarted(2);
  assert.equal(run.watch.exceeded(2), undefined, "a fresh browser");
  run.watch.pagesOpen(2, 3);
  run.watch.pagesOpen(2, 1);
  assert.equal(run.watch.exceeded(2), undefined, "closed again");
});

Deno.test("BrowserLimitWatch without limits looks at nothing", async () => {
  const run = new Run({});
  run.watch.callStarted(1);
  run.time = 1e12;
  await run.watch.callEnded(1, 17);
  assert.equal(run.watch.exceeded(1), undefined);
  assert.deepEqual(run.asked, []);
});

Deno.test("BrowserLimitWatch takes a memory that nobody knows for none", async () => {
  const run = new Run({ maxBytes: 1 });
  run.bytes = undefined;
  run.watch.callStarted(1);
  await run.watch.callEnded(1, 17);
  assert.equal(run.watch.exceeded(1), undefined);
});
