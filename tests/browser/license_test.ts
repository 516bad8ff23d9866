import assert from "node:assert/strict";
import { join } from "node:path";
import type { CloakBrowserService, LicenseInfo } from "../../src/browser/cloakbrowser_package.ts";
import { createLicense, type License } from "../../src/browser/license.ts";
import { license } from "../../src/cli/commands/license.ts";
import { AppError } from "../../src/errors.ts";
import { settle } from "../settings/settle.ts";
import { browserSettings, collectingLog } from "./test_settings.ts";

/** The licence server is not reachable from where the tests run; everything on this side of the package is real. */
async function scene(
  answer: LicenseInfo | undefined,
  run: (saved: License, cacheDir: string) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir();
  const cacheDir = join(directory, "cache");
  const service = {
    info: () => Promise.resolve({ cacheDir: join(cacheDir, "chromium-1") }),
    validateLicense: () => Promise.resolve(answer),
    seats: () => Promise.resolve({ active: 1, limit: 5, state: "ok", reason: null }),
  } as unknown as CloakBrowserService;
  try {
    await run(createLicense(browserSettings({ cacheDir }), collectingLog().log, service), cacheDir);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const VALID: LicenseInfo = { valid: true, plan: "team", expires: "2030-01-01" };

Deno.test("login() saves a valid key where only its owner can read it, and logout() removes it", () =>
  scene(VALID, async (saved, cacheDir) => {
    assert.equal(await saved.login("key-1"), "team");
    const file = join(cacheDir, "license.key");
    assert.equal(await Deno.readTextFile(file), "key-1\n");
    if (Deno.build.os !== "windows") assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
    assert.equal((await Array.fromAsync(Deno.readDir(cacheDir))).length, 1);
    const { seats, ...info } = await saved.info();
    assert.deepEqual(info, { source: "file", file, state: "valid", plan: "team", expires: "2030-01-01" });
    assert.equal(seats?.limit, 5);
    assert.deepEqual([await saved.logout(), await saved.logout()], [true, false]);
    assert.equal((await saved.info()).source, "none");
  }));

for (
  const [name, answer] of [["is invalid", { ...VALID, valid: false }], [
    "cannot be checked",
    undefined,
  ]] as const
) {
  Deno.test(`login() saves nothing when the key ${name}, and does not repeat it`, () =>
    scene(answer, async (saved, cacheDir) => {
      await assert.rejects(
        saved.login("s3cret"),
        (error) =>
          error instanceof AppError && error.code === "browser_unavailable" &&
          !error.describe().includes("s3cret"),
      );
      assert.equal(await Deno.stat(cacheDir).then(() => true, () => false), false);
    }));
}

Deno.test("login() refuses an empty key and one with blanks", () =>
  scene(VALID, async (saved) => {
    for (const key of ["", "two words", "line\nbreak"]) {
      await assert.rejects(saved.login(key), (error) => error instanceof AppError && error.code === "usage");
    }
  }));

Deno.test("license() reads the key from its input and prints what became of it", () =>
  scene(VALID, async (saved) => {
    let stdout = "";
    const output = { stdout: (text: string) => void (stdout += text), stderr: () => {} };
    const resolved = await settle({});
    await license(resolved, output, "login", false, saved, () => Promise.resolve("key-2"));
    await license(resolved, output, "info", false, saved);
    await license(resolved, output, "logout", false, saved);
    assert.match(
      stdout,
      /^Saved a licence key of the plan "team"\nLicence key: valid, from \/.*license\.key\n/,
    );
    assert.match(stdout, /Plan: team, until 2030-01-01\nSessions: 1 in use of 5\nRemoved the saved/);
    assert.ok(!stdout.includes("key-2"));
  }));
