import assert from "node:assert/strict";
import { join } from "node:path";
import { hasUnfinishedDownload, lockDownloads } from "../../src/browser/download_lock.ts";
import { AppError } from "../../src/errors.ts";

const LOCK_FILE = ".cloakbrowser-mcp-download.lock";

async function inCache(run: (cacheDir: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await run(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

Deno.test("lockDownloads() lets one holder in at a time", () =>
  inCache(async (cacheDir) => {
    const waited: string[] = [];
    const first = await lockDownloads(join(cacheDir, "new"), () => waited.push("first"));
    const second = lockDownloads(join(cacheDir, "new"), () => {
      waited.push("second");
      first?.[Symbol.dispose]();
    });
    (await second)?.[Symbol.dispose]();
    assert.deepEqual(waited, ["second"]);
  }));

Deno.test("lockDownloads() gives up on a holder that does not end", () =>
  inCache(async (cacheDir) => {
    using _ = await lockDownloads(cacheDir, () => {});
    await assert.rejects(
      lockDownloads(cacheDir, () => {}, 1),
      (error) =>
        error instanceof AppError && error.code === "browser_unavailable" &&
        error.message.includes(LOCK_FILE),
    );
  }));

Deno.test("lockDownloads() removes what a dead holder had not finished unpacking", () =>
  inCache(async (cacheDir) => {
    const half = join(cacheDir, "chromium-1.2.3.4");
    const whole = join(cacheDir, "chromium-1.2.3.3");
    for (const directory of [half, whole]) await Deno.mkdir(directory);
    {
      using lock = await lockDownloads(cacheDir, () => {});
      lock?.unpackingInto(half);
      assert.equal(await hasUnfinishedDownload(cacheDir), true);
    }
    {
      using _ = await lockDownloads(cacheDir, () => {});
      assert.equal(await exists(half), false);
      assert.equal(await exists(whole), true);
      assert.equal(await hasUnfinishedDownload(cacheDir), false);
    }
  }));

Deno.test("lockDownloads() keeps what was finished", () =>
  inCache(async (cacheDir) => {
    const directory = join(cacheDir, "chromium-1.2.3.4");
    await Deno.mkdir(directory);
    {
      using lock = await lockDownloads(cacheDir, () => {});
      lock?.unpackingInto(directory);
      lock?.finished();
    }
    (await lockDownloads(cacheDir, () => {}))?.[Symbol.dispose]();
    assert.equal(await exists(directory), true);
  }));

Deno.test("lockDownloads() believes no journal that names something else", () =>
  inCache(async (cacheDir) => {
    await Deno.mkdir(join(cacheDir, "precious"));
    for (const name of ["precious", "../precious", ".", "chromium-../precious", "chromium-1187", ""]) {
      await Deno.writeTextFile(join(cacheDir, LOCK_FILE), name);
      (await lockDownloads(cacheDir, () => {}))?.[Symbol.dispose]();
      assert.equal(await exists(join(cacheDir, "precious")), true, name);
    }
  }));

Deno.test("lockDownloads() removes archives that nobody downloads any more", () =>
  inCache(async (cacheDir) => {
    const old = join(cacheDir, "_download_1700000000000.tar.gz");
    const current = join(cacheDir, "_download_1700000000001.tar.gz");
    for (const path of [old, current]) await Deno.writeTextFile(path, "");
    const hourAgo = new Date(Date.now() - 3_600_000);
    await Deno.utime(old, hourAgo, hourAgo);
    (await lockDownloads(cacheDir, () => {}))?.[Symbol.dispose]();
    assert.equal(await exists(old), false);
    assert.equal(await exists(current), true);
  }));

Deno.test("lockDownloads() has nothing to guard where nothing can be written", () =>
  inCache(async (cacheDir) => {
    await Deno.writeTextFile(join(cacheDir, "file"), "");
    assert.equal(await lockDownloads(join(cacheDir, "file"), () => {}), undefined);
    assert.equal(await hasUnfinishedDownload(join(cacheDir, "file")), false);
  }));
