import assert from "node:assert/strict";
import { watchDisk } from "../../src/browser/disk_fault.ts";

function uncaught(error: unknown): ErrorEvent {
  return new ErrorEvent("error", { error, cancelable: true });
}

Deno.test("watchDisk() takes faults of the disk, and no others", () => {
  const target = new EventTarget();
  using disk = watchDisk("/cache", target);
  for (const error of [new Error("bug"), Object.assign(new Error("gone"), { code: "EPIPE" }), "text"]) {
    assert.ok(target.dispatchEvent(uncaught(error)), "still uncaught");
    assert.ok(!disk.signal.aborted);
  }
  const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
  assert.ok(!target.dispatchEvent(uncaught(full)), "taken");
  assert.match(disk.signal.reason.message, /cannot be written to "\/cache"/);
  assert.equal(disk.signal.reason.cause, full);
});

Deno.test("watchDisk() takes nothing after its end", () => {
  const target = new EventTarget();
  const disk = watchDisk("/cache", target);
  disk[Symbol.dispose]();
  assert.ok(target.dispatchEvent(uncaught(Object.assign(new Error("full"), { code: "ENOSPC" }))));
  assert.ok(!disk.signal.aborted);
});
