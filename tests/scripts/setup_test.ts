import assert from "node:assert/strict";
import { AppError } from "../../src/errors.ts";
import { ensureBrowser, ensureXvfb, type Machine } from "../../scripts/setup.ts";

function machine(parts: Partial<Machine>): Machine {
  return {
    env: {},
    isExecutable: () => Promise.resolve(true),
    findCloakBrowser: () => Promise.resolve(undefined),
    findChrome: () => Promise.resolve(undefined),
    canInstall: () => Promise.resolve(false),
    run: () => Promise.reject(new Error("nothing should be run")),
    ...parts,
  };
}

Deno.test("ensureBrowser() takes the browser that is named, then CloakBrowser, then Chrome", async () => {
  const parts = {
    env: { CLOAKBROWSER_BINARY_PATH: "/named" },
    findCloakBrowser: () => Promise.resolve("/cloak"),
    findChrome: () => Promise.resolve("/chrome"),
  };
  assert.equal(await ensureBrowser(machine(parts)), "/named");
  assert.equal(await ensureBrowser(machine({ ...parts, env: {} })), "/cloak");
  assert.equal(await ensureBrowser(machine({ findChrome: parts.findChrome })), "/chrome");
});

Deno.test("ensureBrowser() refuses a named browser that is not there", async () => {
  const parts = { env: { CLOAKBROWSER_BINARY_PATH: "/gone" }, isExecutable: () => Promise.resolve(false) };
  await assert.rejects(ensureBrowser(machine(parts)), /"\/gone"/);
});

Deno.test("ensureBrowser() reads the lists of packages only when the first try fails", async () => {
  for (const firstWorks of [true, false]) {
    const run: string[] = [];
    let installed = false;
    const path = await ensureBrowser(machine({
      canInstall: () => Promise.resolve(true),
      findChrome: () => Promise.resolve(installed ? "/usr/bin/chromium" : undefined),
      run: (command, args) => {
        run.push(`${command} ${args[0]}`);
        installed = args[0] === "install" && (firstWorks || run.length > 1);
        return Promise.resolve(args[0] === "update" || installed);
      },
    }));
    assert.equal(path, "/usr/bin/chromium");
    const install = "apt-get install";
    assert.deepEqual(run, firstWorks ? [install] : [install, "apt-get update", install]);
  }
});

Deno.test("ensureBrowser() says in one line what to install where it cannot", async () => {
  for (const canInstall of [true, false]) {
    const parts = {
      canInstall: () => Promise.resolve(canInstall),
      run: () => Promise.resolve(false),
    };
    await assert.rejects(ensureBrowser(machine(parts)), (error: AppError) => {
      assert.equal(error.exitStatus, 3);
      assert.match(error.describe(), /^[^\n]*install Chrome or Chromium[^\n]*$/);
      return true;
    });
  }
});

Deno.test("ensureXvfb() installs it where it is not there, and names the package where it cannot", async () => {
  await ensureXvfb(machine({}));
  const missing = { isExecutable: () => Promise.resolve(false) };
  const run: string[] = [];
  await ensureXvfb(machine({
    ...missing,
    canInstall: () => Promise.resolve(true),
    run: (command, args) => {
      run.push(`${command} ${args[0]} ${args.at(-1)}`);
      return Promise.resolve(true);
    },
  }));
  assert.deepEqual(run, ["apt-get install xvfb"]);
  await assert.rejects(ensureXvfb(machine(missing)), /package xvfb/);
});
