import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { PRIVATE_TEMP_VARIABLE, usePrivateTemp } from "../../src/upstream/private_temp.ts";

const CHANGED = [PRIVATE_TEMP_VARIABLE, "TMPDIR", "PWTEST_SOCKETS_DIR"];

/** Runs `act` in an environment of its own; `os` and `fs` are those of this test module alone. */
async function withEnvironment(env: Record<string, string>, act: () => Promise<void>): Promise<void> {
  const before = CHANGED.map((name) => [name, Deno.env.get(name)] as const);
  const { tmpdir } = os;
  const { mkdtemp, mkdtempSync } = fs;
  const promised = fs.promises.mkdtemp;
  for (const name of CHANGED) Deno.env.delete(name);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  try {
    await act();
  } finally {
    os.tmpdir = tmpdir;
    Object.assign(fs, { mkdtemp, mkdtempSync });
    fs.promises.mkdtemp = promised;
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
}

Deno.test("usePrivateTemp() moves what is made in the temporary directory, and nothing else", async () => {
  const shared = await Deno.makeTempDir();
  const elsewhere = await Deno.makeTempDir();
  const directory = path.join(shared, "p", "t");
  await Deno.mkdir(path.dirname(directory));
  await withEnvironment({ TMPDIR: shared, [PRIVATE_TEMP_VARIABLE]: directory }, async () => {
    const forOwn = usePrivateTemp();
    assert.equal(fs.statSync(directory).mode & 0o777, 0o700);
    assert.equal(os.tmpdir(), shared, "the output of tools stays where the user finds it");
    assert.equal(Deno.env.get("TMPDIR"), directory, "Chromium inherits it");
    assert.equal(Deno.env.get(PRIVATE_TEMP_VARIABLE), undefined);
    assert.deepEqual(forOwn, { [PRIVATE_TEMP_VARIABLE]: directory, TMPDIR: shared });

    const prefix = path.join(os.tmpdir(), "profile-");
    const made = [
      fs.mkdtempSync(prefix),
      await fs.promises.mkdtemp(prefix),
      await promisify(fs.mkdtemp)(prefix),
    ];
    for (const each of made) assert.equal(path.dirname(each), directory);
    assert.equal(path.dirname(fs.mkdtempSync(path.join(elsewhere, "x-"))), elsewhere);
    assert.equal(path.dirname(fs.mkdtempSync(path.join(shared, "p", "x-"))), path.join(shared, "p"));
  });
  await Deno.remove(shared, { recursive: true });
  await Deno.remove(elsewhere, { recursive: true });
});

Deno.test("usePrivateTemp() leaves sockets where they were when their paths would be too long", async () => {
  const shared = await Deno.makeTempDir();
  const directory = path.join(shared, "x".repeat(90));
  await withEnvironment({ TMPDIR: shared, [PRIVATE_TEMP_VARIABLE]: directory }, () => {
    usePrivateTemp();
    assert.equal(Deno.env.get("TMPDIR"), shared);
    assert.equal(Deno.env.get("PWTEST_SOCKETS_DIR"), undefined);
    assert.equal(path.dirname(fs.mkdtempSync(path.join(os.tmpdir(), "profile-"))), directory);
    return Promise.resolve();
  });
  await Deno.remove(shared, { recursive: true });
});

Deno.test("usePrivateTemp() makes nothing once the bridge has removed its directory", async () => {
  const shared = await Deno.makeTempDir();
  const directory = path.join(shared, "gone", "t");
  await withEnvironment({ TMPDIR: shared, [PRIVATE_TEMP_VARIABLE]: directory }, () => {
    assert.throws(usePrivateTemp, { code: "ENOENT" });
    assert.deepEqual(fs.readdirSync(shared), []);
    return Promise.resolve();
  });
  await Deno.remove(shared);
});

Deno.test("usePrivateTemp() does nothing when it is not asked to", async () => {
  await withEnvironment({}, () => {
    const { tmpdir } = os;
    assert.deepEqual(usePrivateTemp(), {});
    assert.equal(os.tmpdir, tmpdir);
    assert.equal(Deno.env.get("TMPDIR"), undefined);
    return Promise.resolve();
  });
});
