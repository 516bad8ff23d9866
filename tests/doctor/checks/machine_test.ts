/** Checks of what the machine gives to every browser: fonts, shared memory, sandbox, display. */
import assert from "node:assert/strict";
import { DISPLAY_CHECK, displayAddresses } from "../../../src/doctor/checks/display.ts";
import { FONTS_CHECK } from "../../../src/doctor/checks/fonts.ts";
import { SANDBOX_CHECK } from "../../../src/doctor/checks/sandbox.ts";
import { SHARED_MEMORY_CHECK } from "../../../src/doctor/checks/shared_memory.ts";
import { VirtualDisplay } from "../../../src/platform/virtual_display.ts";
import type { Check } from "../../../src/doctor/check.ts";
import { runProgram } from "../../../src/doctor/run_program.ts";
import { doctorWorld, Place, programs, runCheck, told, type WorldOptions } from "../test_world.ts";

async function look(check: Check, options: WorldOptions): Promise<string> {
  const result = await runCheck(check, await doctorWorld(options));
  for (const { status, remedy } of result.findings) {
    assert.equal(remedy !== undefined, status === "warning" || status === "error");
  }
  return told(result).join("\n");
}

const PATH = Deno.env.get("PATH") ?? "";

Deno.test("fonts check: counts files, and warns where there is none", async () => {
  const none = await look(FONTS_CHECK, { run: programs({ "sh -c": "" }) });
  assert.match(none, /^warning: There is no font: /);
  const two = await look(FONTS_CHECK, { run: programs({ "sh -c": "/a.ttf: \n/b.otf: \n" }) });
  assert.equal(two, "ok: 2 font files found");
  assert.match(await look(FONTS_CHECK, { run: programs({}) }), /^skipped: /);
});

Deno.test("fonts check: finds files by their names where fontconfig is not installed", async () => {
  using place = new Place();
  const bin = `${place.path}/bin`;
  await Deno.mkdir(`${place.path}/.fonts/deep`, { recursive: true });
  await Deno.mkdir(bin);
  for (const name of ["sh", "grep", "find"]) await Deno.symlink(`/usr/bin/${name}`, `${bin}/${name}`);
  const before = await fontCount(bin, "/nowhere");
  place.write(".fonts/deep/one.TTF", "");
  place.write(".fonts/deep/readme.txt", "");
  assert.equal(await fontCount(bin, place.path), before + 1);
});

async function fontCount(path: string, home: string): Promise<number> {
  const run: typeof runProgram = (request) => runProgram({ ...request, env: { HOME: home, PATH: path } });
  const result = await runCheck(FONTS_CHECK, await doctorWorld({ env: { HOME: home }, run }));
  return Number(result.details?.["count"]);
}

Deno.test("shared memory check: warns of the 64 MiB of a container, and reads the real size", async () => {
  const df = (kib: number): string =>
    `Filesystem     1024-blocks  Used Available Capacity Mounted on\nshm ${kib} 0 ${kib}       0% /dev/shm\n`;
  const small = await look(SHARED_MEMORY_CHECK, { run: programs({ "sh -c": df(65_536) }) });
  assert.match(small, /^warning: \/dev\/shm has 64 MiB only; /);
  assert.equal(
    await look(SHARED_MEMORY_CHECK, { run: programs({ "sh -c": df(1_048_576) }) }),
    "ok: /dev/shm has 1024 MiB",
  );
  assert.match(await look(SHARED_MEMORY_CHECK, {}), /\/dev\/shm has \d+ MiB/);
  assert.match(await look(SHARED_MEMORY_CHECK, { run: programs({ "sh -c": "" }) }), /^skipped: /);
  assert.match(await look(SHARED_MEMORY_CHECK, { os: "windows" }), /^skipped: Not applicable/);
});

Deno.test("sandbox check: root cannot have one, whatever the kernel allows", async () => {
  assert.match(
    await look(SANDBOX_CHECK, { uid: 0, flags: ["--sandbox"] }),
    /^error: Chromium's sandbox is asked for and cannot work: it does not start as root$/,
  );
  assert.match(
    await look(SANDBOX_CHECK, { uid: 0 }),
    /^ok: Chromium's sandbox is off; it could not work here/,
  );
  const undecided = { uid: 0, flags: ["--browser-engine=playwright"] };
  assert.match(await look(SANDBOX_CHECK, undecided), /^warning: .* should Playwright MCP use it: /);
  const argument = { uid: 0, flags: ["--sandbox", "--extra-args=--no-sandbox"] };
  assert.match(await look(SANDBOX_CHECK, argument), /^ok: Chromium's sandbox is off/);
});

Deno.test("sandbox check: other users need user namespaces, and the obstacle is named", async () => {
  const cases: [facts: string, expected: RegExp][] = [
    ["max=96551\nunshare=1\n", /^ok: Chromium's sandbox works here$/],
    ["max=96551\n", /^ok: Chromium's sandbox works here$/],
    ["max=0\nunshare=0\n", /^error: .*the kernel allows no user namespaces$/],
    ["max=9\nclone=0\nunshare=0\n", /^error: .*to root only$/],
    ["max=9\nclone=1\napparmor=1\nunshare=0\n", /^error: .*AppArmor restricts/],
    ["max=9\nunshare=0\n", /^error: .*as containers do by default$/],
  ];
  for (const [facts, expected] of cases) {
    const run = programs({ "sh -c": facts });
    assert.match(await look(SANDBOX_CHECK, { uid: 1000, flags: ["--sandbox"], run }), expected);
  }
  const off = await look(SANDBOX_CHECK, { uid: 1000, run: programs({ "sh -c": "unshare=1" }) });
  assert.match(off, /^ok: Chromium's sandbox is off; it would work here/);
  assert.match(
    await look(SANDBOX_CHECK, { uid: 1000 }),
    /^ok: Chromium's sandbox is off; it (would|could not) work/,
  );
});

Deno.test("sandbox check: Chromium's helper for root's rights stands in for user namespaces", async () => {
  if (Deno.uid() !== 0) return;
  using place = new Place();
  const executablePath = place.write("chrome", "#!/bin/sh\n", 0o755);
  const options = {
    uid: 1000,
    flags: ["--sandbox"],
    subject: { executablePath },
    run: programs({ "sh -c": "max=0" }),
  };
  assert.match(await look(SANDBOX_CHECK, options), /^error: /);
  place.write("chrome-sandbox", "", 0o4755);
  assert.match(await look(SANDBOX_CHECK, options), /^ok: /);
});

Deno.test("sandbox check: says so where it does not apply", async () => {
  assert.match(
    await look(SANDBOX_CHECK, { os: "darwin", uid: 0, flags: ["--sandbox"] }),
    /^skipped: Not applicable/,
  );
  assert.match(
    await look(SANDBOX_CHECK, { subject: { notOurs: "it runs" } }),
    /^skipped: Not applicable: it runs/,
  );
});

Deno.test("displayAddresses() finds where a display listens", () => {
  assert.deepEqual(displayAddresses(":7.0"), [{ path: "/tmp/.X11-unix/X7" }, {
    path: "\0/tmp/.X11-unix/X7",
  }]);
  assert.deepEqual(displayAddresses("unix:0"), displayAddresses(":0"));
  assert.deepEqual(displayAddresses("example.com:10.0"), [{ host: "example.com", port: 6010 }]);
  assert.deepEqual(displayAddresses("[::1]:1"), [{ host: "[::1]", port: 6001 }]);
  for (const nonsense of ["", "0", ":", ":x", "host"]) assert.deepEqual(displayAddresses(nonsense), []);
});

Deno.test("display check: a browser without a window needs none", async () => {
  assert.match(await look(DISPLAY_CHECK, { env: { DISPLAY: ":4711", PATH } }), /^skipped: Not applicable/);
  assert.match(
    await look(DISPLAY_CHECK, { os: "darwin", flags: ["--no-headless"] }),
    /^skipped: Not applicable/,
  );
});

Deno.test("display check: asks the display whether it answers", async () => {
  const flags = ["--no-headless"];
  const dead = await look(DISPLAY_CHECK, { flags, env: { DISPLAY: ":47110", PATH } });
  assert.match(dead, /^error: The display ":47110" does not answer: /);
  const nonsense = await look(DISPLAY_CHECK, { flags, env: { DISPLAY: "screen", PATH } });
  assert.match(nonsense, /^error: DISPLAY is "screen", which names no display$/);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  assert.ok(listener.addr.port > 6000, "a port that has a display number");
  const answering = (async () => {
    using client = await listener.accept();
    await client.write(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
  })();
  const DISPLAY = `127.0.0.1:${listener.addr.port - 6000}.0`;
  assert.equal(
    await look(DISPLAY_CHECK, { flags, env: { DISPLAY, PATH } }),
    `error: The display "${DISPLAY}" does not answer: it is no X server`,
  );
  await answering;
});

Deno.test("display check: a display that runs has to let this user in", async () => {
  using place = new Place();
  const display = new VirtualDisplay({ tempRoot: place.path, prefix: "display-" });
  await using lease = display.lease();
  const { environment } = await lease.running();
  const flags = ["--no-headless"];
  assert.equal(
    await look(DISPLAY_CHECK, { flags, env: { ...environment, PATH } }),
    `ok: The display "${environment.DISPLAY}" answers`,
  );
  const { DISPLAY } = environment;
  assert.match(
    await look(DISPLAY_CHECK, { flags, env: { DISPLAY, HOME: place.path, PATH } }),
    /^error: The display ":\d+" does not answer: it does not let this user in: \S/,
  );
});

Deno.test("display check: Wayland will do", async () => {
  using place = new Place();
  using _listener = Deno.listen({ transport: "unix", path: `${place.path}/wayland-1` });
  const env = { XDG_RUNTIME_DIR: place.path, WAYLAND_DISPLAY: "wayland-1", PATH };
  assert.equal(
    await look(DISPLAY_CHECK, { flags: ["--no-headless"], env }),
    'ok: The Wayland display "wayland-1" answers',
  );
});

Deno.test("display check: a virtual display needs Xvfb, whose package is named", async () => {
  for (const flags of [["--no-headless"], ["--no-headless", "--virtual-display=always"]]) {
    const found = await look(DISPLAY_CHECK, { flags, run: programs({ "sh -c": "/usr/bin/Xvfb\n" }) });
    assert.equal(found, 'ok: The browser gets a virtual display: "/usr/bin/Xvfb"');
    const result = await runCheck(DISPLAY_CHECK, await doctorWorld({ flags, env: { PATH: "/nowhere" } }));
    assert.deepEqual(told(result), [
      "error: The browser is to get a virtual display, and Xvfb is not installed",
    ]);
    assert.match(result.findings[0]?.remedy ?? "", /apt-get install -y xvfb/);
  }
});

Deno.test("display check: without a virtual display there has to be another", async () => {
  const flags = ["--no-headless", "--virtual-display=never"];
  assert.equal(
    await look(DISPLAY_CHECK, { flags }),
    "error: There is no display for a browser with a window",
  );
  const env = { WAYLAND_DISPLAY: "/nowhere/at/all", PATH };
  assert.match(
    await look(DISPLAY_CHECK, { flags, env }),
    /^error: The Wayland display ".*" does not answer: there is no such socket$/,
  );
});
