import assert from "node:assert/strict";
import { lastLines, type ProgramOutcome, runProgram } from "../../src/doctor/run_program.ts";
import { isRunning, readAllStats } from "../harness/proc_stat.ts";
import { until } from "../harness/until.ts";
import { Place } from "./test_world.ts";

const ENV = { PATH: Deno.env.get("PATH") ?? "" };

async function sh(
  script: string,
  timeoutMs = 20_000,
  signal = new AbortController().signal,
): Promise<ProgramOutcome> {
  return await runProgram({
    program: "sh",
    args: ["-c", script],
    env: { ...ENV, NAME: "value" },
    timeoutMs,
    signal,
  });
}

/** Waits until none of the processes whose numbers lie in a file is there any more. */
async function allGone(file: string): Promise<void> {
  const pids = (await Deno.readTextFile(file)).trim().split("\n").map(Number);
  assert.ok(pids.length > 0 && pids.every((pid) => pid > 1), String(pids));
  await until(
    "all gone",
    () => readAllStats().every((stat) => !pids.includes(stat.pid) || !isRunning(stat)),
    5000,
  );
}

Deno.test("runProgram() returns exit code, both outputs, and gives the environment it was told alone", async () => {
  const outcome = await sh('echo "$NAME-$HOME"; echo bad >&2; exit 3');
  assert.deepEqual(outcome, { kind: "ended", code: 3, stdout: "value-\n", stderr: "bad\n" });
});

Deno.test("runProgram() tells why a program cannot be started", async () => {
  const signal = new AbortController().signal;
  const outcome = await runProgram({
    program: "/nowhere/at/all",
    args: [],
    env: ENV,
    timeoutMs: 1000,
    signal,
  });
  assert.ok(outcome.kind === "not_started" && outcome.cause instanceof Deno.errors.NotFound);
});

Deno.test("runProgram() kills what takes too long, with all that it started, in other sessions too", async () => {
  using place = new Place();
  const pids = `${place.path}/pids`;
  const outcome = await sh(
    `echo $$ >${pids}; sleep 600 & echo $! >>${pids}; setsid sleep 600 & echo $! >>${pids}; echo said >&2; wait`,
    700,
  );
  assert.deepEqual(outcome, { kind: "timed_out", stderr: "said\n" });
  assert.equal((await Deno.readTextFile(pids)).trim().split("\n").length, 3);
  await allGone(pids);
});

Deno.test("runProgram() ends a program when nobody waits any more", async () => {
  using place = new Place();
  const pids = `${place.path}/pids`;
  const stop = new AbortController();
  const running = sh(`echo $$ >${pids}; exec sleep 600`, 600_000, stop.signal);
  await until(
    "it runs",
    async () => place.entries().length > 0 && await Deno.readTextFile(pids) !== "",
    5000,
  );
  stop.abort();
  assert.equal((await running).kind, "timed_out");
  await allGone(pids);
});

Deno.test("runProgram() ends what a program leaves in its group, and does not wait for its output", async () => {
  using place = new Place();
  const pids = `${place.path}/pids`;
  const outcome = await sh(`sleep 600 & echo $! >${pids}; echo done`);
  assert.deepEqual(outcome, { kind: "ended", code: 0, stdout: "done\n", stderr: "" });
  await allGone(pids);
});

Deno.test("runProgram() keeps the beginning of an endless output", async () => {
  const outcome = await sh("head -c 5000000 /dev/zero");
  assert.ok(
    outcome.kind === "ended" && outcome.stdout.length >= 256 * 1024 && outcome.stdout.length < 1_000_000,
  );
});

Deno.test("lastLines() takes the last ones that say something, each of bearable length", () => {
  assert.equal(lastLines("a\n\nb\n c \n", 2), "b\nc");
  assert.equal(lastLines("x".repeat(1000)).length, 301);
  assert.equal(lastLines("\n \n"), "");
});
