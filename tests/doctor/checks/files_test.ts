/** Checks of what is kept on disk: output, temporary files, licence; and of the settings themselves. */
import assert from "node:assert/strict";
import { DIRECTORIES_CHECK } from "../../../src/doctor/checks/directories.ts";
import { EXECUTABLE_CHECK } from "../../../src/doctor/checks/executable.ts";
import { LICENCE_CHECK } from "../../../src/doctor/checks/licence.ts";
import { SETTINGS_CHECK } from "../../../src/doctor/checks/settings.ts";
import { privateRoot } from "../../../src/platform/private_directory.ts";
import { doctorWorld, Place, programs, runCheck, told, type WorldOptions } from "../test_world.ts";

const PATH = Deno.env.get("PATH") ?? "";

async function directories(options: WorldOptions): Promise<string[]> {
  return told(await runCheck(DIRECTORIES_CHECK, await doctorWorld(options)));
}

Deno.test("directories check: leaves nothing behind where everything can be written", async () => {
  using work = new Place();
  using temporary = new Place();
  const findings = await directories({ cwd: work.path, env: { TMPDIR: temporary.path, PATH } });
  assert.deepEqual(findings, [
    `ok: Output goes to "${work.path}/.playwright-mcp", which the first file makes`,
    `ok: Temporary files go to "${await privateRoot(temporary.path)}"`,
  ]);
  assert.deepEqual([...work.entries(), ...temporary.entries()], []);
});

Deno.test("directories check: an output directory below a file is an error, a default one only a warning", async () => {
  using work = new Place();
  const file = work.write("file", "");
  const env = { TMPDIR: work.path, PATH };
  const [named] = await directories({ flags: [`--output-dir=${file}/deep/out`], env });
  assert.equal(
    named,
    `error: Screenshots and downloads find no place: cannot write to "${file}/deep/out": a part of its path is no directory`,
  );
  const [usual] = await directories({ cwd: "/proc", env });
  assert.match(usual ?? "", /^warning: Screenshots and downloads find no place: cannot write to "\/proc": /);
  const [config] = await directories({ config: { outputDir: "/proc/out" }, env });
  assert.match(config ?? "", /^error: .*cannot write to "\/proc": /);
});

Deno.test("directories check: a browser that is to be downloaded needs a place that can be written", async () => {
  using work = new Place();
  const env = { TMPDIR: work.path, PATH };
  const file = work.write("file", "");
  const cloakbrowser = (cacheDir: string, installed: boolean): WorldOptions => ({
    cwd: work.path,
    env,
    subject: {
      source: "cloakbrowser",
      cloakbrowser: {
        version: "1.2.3.4",
        bundledVersion: "1.2.3.4",
        platform: "linux-x64",
        tier: "free",
        binaryPath: `${cacheDir}/chromium-1.2.3.4/chrome`,
        installed,
        cacheDir: `${cacheDir}/chromium-1.2.3.4`,
        downloadUrl: "https://example.com",
      },
    },
  });
  const refused = await directories(cloakbrowser(`${file}/cache`, false));
  assert.match(
    refused.join("\n"),
    /^error: CloakBrowser cannot be downloaded to ".*\/file\/cache": cannot write to /m,
  );
  for (
    const options of [cloakbrowser(`${file}/cache`, true), cloakbrowser(`${work.path}/new/cache`, false)]
  ) {
    assert.doesNotMatch((await directories(options)).join("\n"), /cannot be downloaded/);
  }
});

Deno.test("directories check: the temporary directory must be there, writable, and have room", async () => {
  using work = new Place();
  const missing = `${work.path}/missing`;
  const [, gone] = await directories({ cwd: work.path, env: { TMPDIR: missing, PATH } });
  assert.equal(gone, `error: Cannot write to the temporary directory "${missing}": it does not exist`);
  for (
    const [kib, expected] of [[1000, /^error: .* has 0 MiB left/], [
      100_000,
      /^warning: .* has 97 MiB left/,
    ]] as const
  ) {
    const df =
      `Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/x 1000000 9000 ${kib} 90% /\n`;
    const run = programs({ "sh -c": df });
    const [, full] = await directories({ cwd: work.path, env: { TMPDIR: work.path, PATH }, run });
    assert.match(full ?? "", expected);
  }
});

async function licence(options: WorldOptions): ReturnType<typeof runCheck> {
  return await runCheck(LICENCE_CHECK, await doctorWorld(options));
}

Deno.test("licence check: tells that there is a key, and never which", async () => {
  using place = new Place();
  const none = await licence({ env: { CLOAKBROWSER_CACHE_DIR: place.path } });
  assert.match(told(none).join(), /^ok: There is no key/);
  const set = await licence({ env: { CLOAKBROWSER_LICENSE_KEY: "cb_4711_hidden" } });
  assert.match(told(set).join(), /^ok: A key is set \(.*CLOAKBROWSER_LICENSE_KEY.*\)/);
  place.write("license.key", "cb_4711_hidden\n");
  const stored = await licence({ env: { CLOAKBROWSER_CACHE_DIR: place.path } });
  assert.match(told(stored).join(), /^ok: A key was stored by a login in /);
  assert.deepEqual([none, set, stored].map(({ details }) => details?.["key"]), ["none", "set", "stored"]);
  assert.doesNotMatch(JSON.stringify([none, set, stored]), /cb_4711/);
  assert.match(told(await licence({ subject: { engine: "playwright" } })).join(), /^skipped: Not applicable/);
});

Deno.test("settings check: one finding for each problem and notice", async () => {
  const fine = await runCheck(SETTINGS_CHECK, await doctorWorld());
  assert.deepEqual(told(fine), ["ok: A server can start with them: stdio"]);
  const bad = await runCheck(
    SETTINGS_CHECK,
    await doctorWorld({
      flags: ["--http-port=high", "--log-level=loud"],
      env: { CLOAK_PLAYWRIGHT_MCP_LOG_LEVLE: "x" },
    }),
  );
  assert.deepEqual(bad.findings.slice(0, 3).map(({ status }) => status), ["error", "error", "warning"]);
  assert.match(
    told(bad).join("\n"),
    /"high" for --http-port.*\n.*"loud" for --log-level.*\n(.*\n)*.*LOG_LEVLE/,
  );
  assert.ok(bad.findings.every(({ remedy }) => remedy));
});

Deno.test("executable check: names every version, and another upstream", async () => {
  const world = await doctorWorld({
    flags: [],
    env: { CLOAK_PLAYWRIGHT_MCP_UPSTREAM_COMMAND: '["node","x.js"]' },
  });
  const result = await runCheck(EXECUTABLE_CHECK, world);
  const text = told(result).join("\n");
  for (
    const version of [
      "1.2.3",
      "Deno 2.0.0",
      "@playwright/mcp 0.0.1",
      "playwright-core 1.0.0",
      "cloakbrowser 0.5.0",
    ]
  ) {
    assert.ok(text.includes(version), version);
  }
  assert.match(text, /sends no telemetry\nok: Another upstream/);
});
