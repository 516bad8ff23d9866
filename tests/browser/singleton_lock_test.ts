import assert from "node:assert/strict";
import { hostname } from "node:os";
import { clearStaleSingleton } from "../../src/browser/singleton_lock.ts";

const MARKS = ["SingletonCookie", "SingletonLock", "SingletonSocket"];

/** A number above those that Linux gives out by default. */
const NOBODY = 4_194_303;

class Profile implements Disposable {
  readonly path = Deno.makeTempDirSync();

  mark(target: string): void {
    for (const name of MARKS) {
      Deno.symlinkSync(name === "SingletonLock" ? target : "elsewhere", `${this.path}/${name}`);
    }
  }

  marks(): string[] {
    return Array.from(Deno.readDirSync(this.path), ({ name }) => name).toSorted();
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

Deno.test("clearStaleSingleton() finds a profile free that nobody has marked", async () => {
  using profile = new Profile();
  assert.equal(await clearStaleSingleton(profile.path), undefined);
  assert.equal(await clearStaleSingleton(`${profile.path}/not-there`), undefined);
});

Deno.test("clearStaleSingleton() removes the mark of a process that is gone", async () => {
  using profile = new Profile();
  profile.mark(`${hostname()}-${NOBODY}`);
  assert.equal(await clearStaleSingleton(profile.path), undefined);
  assert.deepEqual(profile.marks(), []);
});

Deno.test("clearStaleSingleton() leaves the mark of a process that runs", async () => {
  using profile = new Profile();
  profile.mark(`${hostname()}-${Deno.pid}`);
  assert.deepEqual(await clearStaleSingleton(profile.path), { host: hostname(), pid: Deno.pid, here: true });
  assert.deepEqual(profile.marks(), MARKS);
});

Deno.test("clearStaleSingleton() is not taken in by a process that got the number later", async () => {
  using profile = new Profile();
  profile.mark(`${hostname()}-${Deno.pid}`);
  const dayBefore = Date.now() / 1000 - 86_400;
  const touched = await new Deno.Command("touch", {
    args: ["--no-dereference", "--date", `@${dayBefore}`, `${profile.path}/SingletonLock`],
  }).output();
  assert.ok(touched.success);
  assert.equal(await clearStaleSingleton(profile.path), undefined);
  assert.deepEqual(profile.marks(), []);
});

Deno.test("clearStaleSingleton() leaves the mark of another host, unless that host's owner is dead", async () => {
  using profile = new Profile();
  profile.mark("other-host-1-17");
  const holder = { host: "other-host-1", pid: 17, here: false };
  assert.deepEqual(await clearStaleSingleton(profile.path), holder);
  assert.deepEqual(await clearStaleSingleton(profile.path, "another"), holder);
  assert.deepEqual(profile.marks(), MARKS);
  assert.equal(await clearStaleSingleton(profile.path, "other-host-1"), undefined);
  assert.deepEqual(profile.marks(), []);
});

Deno.test("clearStaleSingleton() leaves what is no mark of Chromium", async () => {
  using profile = new Profile();
  for (const target of ["nonsense", "host-", "host-0", "-17", "host-1x"]) {
    await Deno.symlink(target, `${profile.path}/SingletonLock`);
    assert.equal(await clearStaleSingleton(profile.path), undefined);
    assert.deepEqual(profile.marks(), ["SingletonLock"], target);
    await Deno.remove(`${profile.path}/SingletonLock`);
  }
});
