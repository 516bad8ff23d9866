import assert from "node:assert/strict";
import { lockProfile } from "../../src/browser/profile_lock.ts";
import { AppError } from "../../src/errors.ts";

class Place implements Disposable {
  readonly path = Deno.makeTempDirSync();

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

async function fault(path: string, waitMs = 0): Promise<AppError> {
  try {
    await using _lock = await lockProfile(path, { session: "second" }, waitMs);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: `${path} can be locked` });
}

Deno.test("lockProfile() makes a directory that only the user can read", async () => {
  using place = new Place();
  const path = `${place.path}/a/profile`;
  await using lock = await lockProfile(path, { session: "s" }, 0);
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o700);
  assert.equal(lock.path, await Deno.realPath(path));
});

Deno.test("lockProfile() refuses a profile in use and names its owner, through a symbolic link too", async () => {
  using place = new Place();
  const path = `${place.path}/profile`;
  await Deno.mkdir(path);
  await Deno.symlink(path, `${place.path}/link`);
  {
    await using _lock = await lockProfile(path, { session: "abc" }, 0);
    for (const name of ["profile", "link", "../" + place.path.split("/").at(-1) + "/profile"]) {
      const { code, message } = await fault(`${place.path}/${name}`);
      assert.equal(code, "locked");
      assert.match(message, new RegExp(`in use by process ${Deno.pid} \\(session abc\\) since 20`));
    }
  }
  await using _again = await lockProfile(path, { session: "next" }, 0);
});

Deno.test("lockProfile() waits for an owner that comes to its end", async () => {
  using place = new Place();
  const first = await lockProfile(place.path, { session: "first" }, 0);
  const second = lockProfile(place.path, { session: "second" }, 10_000);
  await first[Symbol.asyncDispose]();
  await using lock = await second;
  assert.equal(lock.path, await Deno.realPath(place.path));
});

Deno.test("lockProfile() is freed by the kernel when the owner is killed", async () => {
  using place = new Place();
  const module = new URL("../../src/browser/profile_lock.ts", import.meta.url).href;
  const owner = new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      "--quiet",
      `const { lockProfile } = await import(${JSON.stringify(module)});
       await lockProfile(${JSON.stringify(place.path)}, { session: "victim" }, 0);
       console.log("locked");
       setInterval(() => {}, 1e6);`,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = owner.stdout.getReader();
  await reader.read();
  assert.match((await fault(place.path)).message, new RegExp(`process ${owner.pid} \\(session victim\\)`));
  owner.kill("SIGKILL");
  await owner.status;
  await reader.cancel();
  await using _lock = await lockProfile(place.path, { session: "heir" }, 0);
});

Deno.test("lockProfile() takes over what a dead owner of another host has left, and nothing else", async () => {
  using place = new Place();
  const mark = `${place.path}/SingletonLock`;
  await Deno.symlink("container-1-17", mark);
  const { code, message } = await fault(place.path);
  assert.equal(code, "locked");
  assert.match(message, /browser on host "container-1" \(process id 17\)/);
  const record = { pid: 5, host: "container-1", since: "2026-01-01T00:00:00.000Z", session: "stdio" };
  await Deno.writeTextFile(`${place.path}/.cloakbrowser-mcp-profile.lock`, JSON.stringify(record));
  {
    await using _lock = await lockProfile(place.path, { session: "next" }, 0);
    await assert.rejects(Deno.lstat(mark), Deno.errors.NotFound);
  }
  await Deno.symlink("container-1-17", mark);
  assert.equal((await fault(place.path)).code, "locked", "an owner that ended in order has left nothing");
});

Deno.test("lockProfile() names a path that cannot serve", async () => {
  using place = new Place();
  await Deno.writeTextFile(`${place.path}/file`, "");
  for (const path of [`${place.path}/file`, `${place.path}/file/below`, "/proc/nothing/here"]) {
    const { code, message } = await fault(path);
    assert.equal(code, "usage", message);
    assert.ok(message.startsWith(`Cannot use "${path}" as profile directory: `), message);
  }
});

Deno.test(
  "lockProfile() names a profile on a disk that takes no more",
  { ignore: Deno.build.os !== "linux" },
  async () => {
    using place = new Place();
    await Deno.symlink("/dev/full", `${place.path}/.cloakbrowser-mcp-profile.lock`);
    const { code, message } = await fault(place.path);
    assert.equal(code, "usage");
    assert.ok(message.startsWith(`Cannot use "${place.path}" as profile directory: `), message);
  },
);
