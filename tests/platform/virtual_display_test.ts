import assert from "node:assert/strict";
import { AppError } from "../../src/errors.ts";
import { descendantsOf } from "../../src/platform/process_tree.ts";
import { type RunningDisplay, VirtualDisplay } from "../../src/platform/virtual_display.ts";
import { connectToDisplay } from "../../src/platform/x_display.ts";
import { until } from "../harness/until.ts";

const WITHIN_MS = 10_000;

class Place implements Disposable {
  readonly path = Deno.makeTempDirSync();
  readonly options = { tempRoot: this.path, prefix: "display-" };

  entries(): string[] {
    return Array.from(Deno.readDirSync(this.path), ({ name }) => name);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

function numberOf({ environment: { DISPLAY } }: RunningDisplay): number {
  return Number(DISPLAY.slice(1));
}

async function lives({ DISPLAY }: RunningDisplay["environment"]): Promise<boolean> {
  try {
    await Deno.lstat(`/tmp/.X11-unix/X${DISPLAY.slice(1)}`);
    return true;
  } catch {
    return false;
  }
}

async function gone(environment: RunningDisplay["environment"]): Promise<void> {
  await until("the display is gone", async () => !await lives(environment), WITHIN_MS);
}

Deno.test("VirtualDisplay starts one display for all, and ends it with the last", async () => {
  using place = new Place();
  const display = new VirtualDisplay(place.options);
  const [one, two] = [display.lease(), display.lease()];
  const [first, second] = await Promise.all(
    [one.running(), two.running()].map(async (display) => (await display).environment),
  );
  assert.ok(first);
  assert.deepEqual(first, second);
  assert.match(first.DISPLAY, /^:[0-9]+$/);
  assert.equal(((await Deno.stat(first.XAUTHORITY)).mode ?? 0) & 0o777, 0o600);
  await one[Symbol.asyncDispose]();
  assert.ok(await lives(first));
  assert.deepEqual((await two.running()).environment, first);
  await two[Symbol.asyncDispose]();
  await gone(first);
  assert.deepEqual(place.entries(), []);
  await using again = display.lease();
  assert.ok(await lives((await again.running()).environment));
});

Deno.test("VirtualDisplay that nobody asks for starts nothing", async () => {
  using place = new Place();
  await using _lease = new VirtualDisplay({ ...place.options, program: "not-there" }).lease();
  assert.deepEqual(place.entries(), []);
});

Deno.test("VirtualDisplay lets nobody in without its cookie", async () => {
  using place = new Place();
  await using lease = new VirtualDisplay(place.options).lease();
  const number = numberOf(await lease.running());
  assert.equal(await connectToDisplay(number), undefined);
  const wrong = { name: "MIT-MAGIC-COOKIE-1" as const, data: new Uint8Array(16) };
  assert.equal(await connectToDisplay(number, wrong), undefined);
});

Deno.test("VirtualDisplay brings another display where the first was killed", async () => {
  using place = new Place();
  const before = new Set((await descendantsOf(Deno.pid)).map(({ pid }) => pid));
  await using lease = new VirtualDisplay(place.options).lease();
  const first = await lease.running();
  const [xvfb, ...others] = (await descendantsOf(Deno.pid)).filter(({ pid, group }) =>
    pid === group && !before.has(pid)
  );
  assert.ok(xvfb);
  assert.deepEqual(others, []);
  Deno.kill(xvfb.pid, "SIGKILL");
  await first.ended;
  const second = await lease.running();
  assert.notEqual(second.environment.XAUTHORITY, first.environment.XAUTHORITY);
  assert.ok(await lives(second.environment));
});

Deno.test("VirtualDisplay ends when its process is killed", async () => {
  using place = new Place();
  const module = new URL("../../src/platform/virtual_display.ts", import.meta.url).href;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      `const { VirtualDisplay } = await import("${module}");
       const lease = new VirtualDisplay({ tempRoot: "${place.path}", prefix: "display-" }).lease();
       console.log(JSON.stringify((await lease.running()).environment));
       await new Promise((resolve) => setTimeout(resolve, 60_000));`,
    ],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const environment = JSON.parse(new TextDecoder().decode((await reader.read()).value));
  assert.ok(await lives(environment));
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  await gone(environment);
});

Deno.test("VirtualDisplay says what is missing, and what Xvfb said", async () => {
  using place = new Place();
  const fault = async (program: string): Promise<AppError> => {
    await using lease = new VirtualDisplay({ ...place.options, program }).lease();
    const error: unknown = await lease.running().then(() => undefined, (reason) => reason);
    assert.ok(error instanceof AppError, String(error));
    return error;
  };
  const missing = await fault("not-there");
  assert.equal(missing.code, "usage");
  assert.match(missing.describe(), /Xvfb is not installed.*package xvfb/s);
  const script = `${place.path}/xvfb`;
  await Deno.writeTextFile(script, "#!/bin/sh\necho 'no screens found' >&2\nexit 1\n", { mode: 0o700 });
  assert.match((await fault(script)).message, /did not start\nno screens found/);
  assert.deepEqual(place.entries(), ["xvfb"]);
});
