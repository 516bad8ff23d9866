import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../src/errors.ts";
import {
  createPrivateDirectory,
  privateRoot,
  sweepPrivateDirectories,
  temporaryRoot,
} from "../../src/platform/private_directory.ts";

const prefix = "cloakbrowser-mcp-";
const windows = Deno.build.os === "windows";

async function inTempRoot(run: (tempRoot: string) => Promise<void>): Promise<void> {
  const tempRoot = await Deno.makeTempDir();
  try {
    await run(tempRoot);
  } finally {
    await Deno.remove(tempRoot, { recursive: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

/** Two minutes ago: older than any directory that is still being made. */
async function makeOld(path: string): Promise<void> {
  const time = new Date(Date.now() - 120_000);
  await Deno.utime(path, time, time);
}

Deno.test("createPrivateDirectory() makes a directory for this user alone and removes it with its content", () =>
  inTempRoot(async (tempRoot) => {
    let path: string;
    {
      await using directory = await createPrivateDirectory({ tempRoot, prefix });
      path = directory.path;
      assert.ok(basename(path).startsWith(prefix));
      if (!windows) assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o700);
      await Deno.mkdir(join(path, "t", "profile"), { recursive: true });
    }
    assert.equal(await exists(path), false);
  }));

Deno.test("createPrivateDirectory() names a temporary directory that cannot be written", () =>
  inTempRoot(async (tempRoot) => {
    const file = join(tempRoot, "file");
    await Deno.writeTextFile(file, "");
    for (const root of [file, join(tempRoot, "none")]) {
      await assert.rejects(createPrivateDirectory({ tempRoot: root, prefix }), (error) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.exitStatus, 2);
        assert.ok(error.message.includes(`"${root}"`));
        return true;
      });
    }
  }));

Deno.test("createPrivateDirectory() is content when its directory is gone already", () =>
  inTempRoot(async (tempRoot) => {
    await using directory = await createPrivateDirectory({ tempRoot, prefix });
    if (!windows) await Deno.remove(directory.path, { recursive: true });
  }));

Deno.test("sweepPrivateDirectories() spares the directory of a live owner, in this process too", () =>
  inTempRoot(async (tempRoot) => {
    await using directory = await createPrivateDirectory({ tempRoot, prefix });
    await makeOld(directory.path);
    assert.deepEqual(await sweepPrivateDirectories(tempRoot, prefix), []);
    assert.equal(await exists(directory.path), true);
  }));

Deno.test("sweepPrivateDirectories() removes the directory of a process that was killed", () =>
  inTempRoot(async (tempRoot) => {
    const module = JSON.stringify(
      fileURLToPath(new URL("../../src/platform/private_directory.ts", import.meta.url)),
    );
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "eval",
        "--no-lock",
        `const { createPrivateDirectory } = await import(${module});
         const directory = await createPrivateDirectory(${JSON.stringify({ tempRoot, prefix })});
         console.log(directory.path);
         setInterval(() => {}, 1000);`,
      ],
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const path = ((await reader.read()).value ?? "").trim();
    assert.deepEqual(await sweepPrivateDirectories(tempRoot, prefix), []);
    child.kill("SIGKILL");
    await child.status;
    await reader.cancel();
    assert.deepEqual(await sweepPrivateDirectories(tempRoot, prefix), [path]);
    assert.equal(await exists(path), false);
  }));

Deno.test("sweepPrivateDirectories() spares one that is just being made", () =>
  inTempRoot(async (tempRoot) => {
    const path = join(tempRoot, `${prefix}new`);
    await Deno.mkdir(path);
    await Deno.writeTextFile(join(path, ".lock.new"), "");
    assert.deepEqual(await sweepPrivateDirectories(tempRoot, prefix), []);
    await makeOld(path);
    assert.deepEqual(await sweepPrivateDirectories(tempRoot, prefix), [path]);
  }));

Deno.test("sweepPrivateDirectories() leaves what another program has put under the same prefix", () =>
  inTempRoot(async (tempRoot) => {
    const path = join(tempRoot, `${prefix}other`);
    await Deno.mkdir(path);
    await Deno.writeTextFile(join(path, "playwright-mcp.config.json"), "{}");
    await makeOld(path);
    await Deno.mkdir(join(tempRoot, "unrelated"));
    await makeOld(join(tempRoot, "unrelated"));
    assert.deepEqual(await sweepPrivateDirectories(tempRoot, prefix), []);
  }));

Deno.test({
  name: "sweepPrivateDirectories() follows no symbolic link",
  ignore: windows,
  fn: () =>
    inTempRoot(async (tempRoot) => {
      const target = join(tempRoot, "target");
      await Deno.mkdir(target);
      await Deno.writeTextFile(join(target, ".lock"), "");
      await Deno.symlink(target, join(tempRoot, `${prefix}link`));
      const trap = join(tempRoot, `${prefix}trap`);
      await Deno.mkdir(trap);
      await Deno.symlink(join(target, ".lock"), join(trap, ".lock"));
      await makeOld(trap);
      assert.deepEqual(await sweepPrivateDirectories(tempRoot, prefix), []);
      assert.equal(await exists(join(target, ".lock")), true);
    }),
});

Deno.test({
  name: "sweepPrivateDirectories() removes a link inside without touching what it names",
  ignore: windows,
  fn: () =>
    inTempRoot(async (tempRoot) => {
      const precious = join(tempRoot, "precious");
      await Deno.mkdir(precious);
      await Deno.writeTextFile(join(precious, "file"), "");
      const path = join(tempRoot, `${prefix}dead`);
      await Deno.mkdir(path);
      await Deno.writeTextFile(join(path, ".lock"), "");
      await Deno.symlink(precious, join(path, "link"));
      assert.deepEqual(await sweepPrivateDirectories(tempRoot, prefix), [path]);
      assert.equal(await exists(join(precious, "file")), true);
    }),
});

Deno.test({
  name: "sweepPrivateDirectories() leaves another user's directory",
  ignore: windows || Deno.uid() !== 0,
  fn: () =>
    inTempRoot(async (tempRoot) => {
      const path = join(tempRoot, `${prefix}theirs`);
      await Deno.mkdir(path);
      await Deno.writeTextFile(join(path, ".lock"), "");
      await Deno.chown(path, 12345, 12345);
      assert.deepEqual(await sweepPrivateDirectories(tempRoot, prefix), []);
    }),
});

Deno.test("sweepPrivateDirectories() reports what it cannot do and goes on", async () => {
  const reports: string[] = [];
  const none = join(await Deno.makeTempDir(), "none");
  assert.deepEqual(await sweepPrivateDirectories(none, prefix, (message) => reports.push(message)), []);
  assert.deepEqual(reports, ["cannot look for abandoned directories"]);
  await Deno.remove(join(none, ".."), { recursive: true });
});

Deno.test("temporaryRoot() follows the variables of the system", () => {
  assert.equal(temporaryRoot({ TMPDIR: "/var/tmp", TEMP: "C:\\T" }, "linux"), "/var/tmp");
  assert.equal(temporaryRoot({}, "linux"), "/tmp");
  assert.equal(temporaryRoot({ TMPDIR: "/var/tmp", TEMP: "C:\\T" }, "windows"), "C:\\T");
});

Deno.test("privateRoot() leaves a short root alone and finds a shorter place for a long one", async () => {
  assert.equal(await privateRoot("/tmp"), "/tmp");
  assert.equal(await privateRoot("/var/folders/x1/0123456789abcdefgh/T"), "/tmp");
  assert.equal(
    await privateRoot("C:\\Users\\somebody\\AppData\\Local\\Temp", "windows"),
    "C:\\Users\\somebody\\AppData\\Local\\Temp",
  );
});
