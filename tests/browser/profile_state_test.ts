import assert from "node:assert/strict";
import { lockProfile, PROFILE_LOCK_FILE } from "../../src/browser/profile_lock.ts";
import { readProfileState } from "../../src/browser/profile_state.ts";

Deno.test("readProfileState() tells the owner, and makes nothing in a profile that has none", async () => {
  const path = await Deno.makeTempDir();
  try {
    assert.deepEqual(await readProfileState(path), { held: false });
    assert.deepEqual(await Array.fromAsync(Deno.readDir(path)), []);
    {
      await using _lock = await lockProfile(path, { session: "abc" }, 0);
      const { held, owner } = await readProfileState(path);
      assert.equal(held, true);
      assert.match(owner ?? "", new RegExp(`^process ${Deno.pid} \\(session abc\\) since 20`));
    }
    assert.deepEqual(await readProfileState(path), { held: false });
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});

Deno.test("readProfileState() does not believe the record of an owner that is dead", async () => {
  const path = await Deno.makeTempDir();
  try {
    const record = JSON.stringify({ pid: Deno.pid, since: "2020-01-01T00:00:00Z", session: "abc" });
    await Deno.writeTextFile(`${path}/${PROFILE_LOCK_FILE}`, record);
    assert.deepEqual(await readProfileState(path), { held: false });
    assert.equal(await Deno.readTextFile(`${path}/${PROFILE_LOCK_FILE}`), record);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});

Deno.test("readProfileState() tells a mark of another host, unless its server is known to have died, and leaves it", async () => {
  const path = await Deno.makeTempDir();
  try {
    await Deno.symlink("browser-host-2-4711", `${path}/SingletonLock`);
    const browser = { host: "browser-host-2", pid: 4711, here: false };
    assert.deepEqual(await readProfileState(path), { held: false, browser });
    const record = { pid: 1, host: "browser-host-2", since: "2020-01-01T00:00:00Z", session: "abc" };
    await Deno.writeTextFile(`${path}/${PROFILE_LOCK_FILE}`, JSON.stringify(record));
    assert.deepEqual(await readProfileState(path), { held: false });
    assert.equal(await Deno.readLink(`${path}/SingletonLock`), "browser-host-2-4711");
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});
