import assert from "node:assert/strict";
import { LIBRARIES_CHECK } from "../../../src/doctor/checks/libraries.ts";
import { doctorWorld, elfHeader, Place, programs, runCheck, told, type WorldOptions } from "../test_world.ts";

async function look(options: WorldOptions): ReturnType<typeof runCheck> {
  return await runCheck(LIBRARIES_CHECK, await doctorWorld(options));
}

const DEBIAN = { "sh -c cat /etc/os-release": "ID=debian\n" };

Deno.test("libraries check: finds every library of a real program", async () => {
  assert.deepEqual(told(await look({ subject: { executablePath: Deno.execPath() } })), ["ok: All are there"]);
});

Deno.test("libraries check: names what ldd does not find, and the packages", async () => {
  using place = new Place();
  const executablePath = place.write("chrome", elfHeader(62), 0o755);
  const run = programs({
    ...DEBIAN,
    ldd:
      "\tlibnss3.so => not found\n\tlibgbm.so.1 => not found\n\tlibodd.so.9 => not found\n\tlibc.so.6 => /lib/libc.so.6\n",
  });
  const { findings, details } = await look({ subject: { executablePath }, run });
  assert.equal(findings.length, 1);
  assert.equal(findings[0]?.status, "error");
  assert.match(findings[0]?.message ?? "", /does not have: libgbm\.so\.1, libnss3\.so, libodd\.so\.9$/);
  assert.match(findings[0]?.remedy ?? "", /^apt-get install -y libgbm1 libnss3\n.*libodd\.so\.9.*apt-file/);
  assert.deepEqual(details?.["missing"], ["libgbm.so.1", "libnss3.so", "libodd.so.9"]);
});

Deno.test("libraries check: tells a program that was built for a newer system", async () => {
  using place = new Place();
  const executablePath = place.write("chrome", elfHeader(62), 0o755);
  const stderr =
    `${executablePath}: /lib/libc.so.6: version \`GLIBC_2.99' not found (required by ${executablePath})\n`;
  const result = await look({
    subject: { executablePath },
    run: programs({ ...DEBIAN, ldd: { stderr, code: 1 } }),
  });
  assert.match(told(result).join(), /^error: .* built for a newer system: it needs GLIBC_2\.99$/);
});

Deno.test("libraries check: looks behind a script for the program that lies beside it", async () => {
  using place = new Place();
  const executablePath = place.write("google-chrome", "#!/bin/sh\n", 0o755);
  assert.match(
    told(await look({ subject: { executablePath } })).join(),
    /^skipped: .* is no program of Linux/,
  );
  const program = place.write("chrome", elfHeader(62), 0o755);
  const result = await look({ subject: { executablePath }, run: programs({ [`ldd ${program}`]: "" }) });
  assert.deepEqual(told(result), ["ok: All are there"]);
});

Deno.test("libraries check: without a browser asks the system for what each needs", async () => {
  const all =
    "libnss3.so libnspr4.so libdbus-1.so.3 libexpat.so.1 libxkbcommon.so.0 libgbm.so.1 libX11.so.6 libxcb.so.1 " +
    "libXcomposite.so.1 libXdamage.so.1 libXfixes.so.3 libXrandr.so.2 libasound.so.2 libglib-2.0.so.0 " +
    "libpango-1.0.so.0 libcairo.so.2 libc.so.6";
  const cache = all.split(" ").map((name) => `\t${name} (libc6,x86-64) => /lib/${name}`);
  const list = (lines: string[]): ReturnType<typeof programs> =>
    programs({ ...DEBIAN, "sh -c ldconfig -p": lines.join("\n") });
  assert.match(told(await look({ run: list(cache) })).join(), /^ok: There is no browser to look at yet/);
  const lacking = await look({ run: list(cache.filter((line) => !/libgbm|libasound/.test(line))) });
  assert.match(told(lacking).join(), /^warning: .* probably need libasound\.so\.2, libgbm\.so\.1$/);
  assert.equal(lacking.findings[0]?.remedy, "apt-get install -y libasound2 libgbm1");
  assert.match(told(await look({ run: programs({}) })).join(), /^skipped: /);
});

Deno.test("libraries check: says so where it does not apply or cannot look", async () => {
  assert.match(told(await look({ os: "darwin" })).join(), /^skipped: Not applicable/);
  assert.match(
    told(await look({ subject: { notOurs: "it runs" } })).join(),
    /^skipped: Not applicable: it runs/,
  );
  assert.match(told(await look({ subject: new Error("none") })).join(), /^skipped: There is no browser/);
  const executablePath = Deno.execPath();
  assert.match(
    told(await look({ subject: { executablePath }, run: programs({}) })).join(),
    /^skipped: There is no "ldd"/,
  );
});
