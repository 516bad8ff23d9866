import assert from "node:assert/strict";
import { join } from "node:path";
import { watchFiles } from "../../src/platform/file_watch.ts";
import { until } from "../harness/until.ts";

const NOTICED_WITHIN_MS = 5_000;

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Whether a change is told of. The folder has to be quiet before: a watch may still hear of its making. */
async function notices(path: string, change: () => Promise<void>): Promise<void> {
  let events = 0;
  using _watch = watchFiles({ paths: [path], onEvent: () => events++, onPoll: () => {} });
  await change();
  await until("the change noticed", () => events > 0, NOTICED_WITHIN_MS);
}

Deno.test("watchFiles() tells of a file that is written, and of one that is renamed over it", () =>
  inFolder(async (folder) => {
    const path = join(folder, "tls.crt");
    await Deno.writeTextFile(path, "old");
    await notices(path, () => Deno.writeTextFile(path, "new"));
    await Deno.writeTextFile(join(folder, "fresh"), "newer");
    await notices(path, () => Deno.rename(join(folder, "fresh"), path));
  }));

Deno.test("watchFiles() tells of a directory link that is swapped next to the names", () =>
  inFolder(async (folder) => {
    for (const version of ["..1", "..2"]) {
      await Deno.mkdir(join(folder, version));
      await Deno.writeTextFile(join(folder, version, "tls.crt"), version);
    }
    await Deno.symlink("..1", join(folder, "..data"));
    await Deno.symlink("..data/tls.crt", join(folder, "tls.crt"));
    await Deno.symlink("..2", join(folder, "..data_new"));
    const path = join(folder, "tls.crt");
    await notices(path, () => Deno.rename(join(folder, "..data_new"), join(folder, "..data")));
    assert.equal(await Deno.readTextFile(path), "..2");
  }));

Deno.test("watchFiles() tells of a change where a link leads", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(join(folder, "live"));
    await Deno.mkdir(join(folder, "archive"));
    await Deno.writeTextFile(join(folder, "archive", "cert1.pem"), "1");
    await Deno.symlink("../archive/cert1.pem", join(folder, "live", "cert.pem"));
    const write = (): Promise<void> => Deno.writeTextFile(join(folder, "archive", "cert1.pem"), "2");
    await notices(join(folder, "live", "cert.pem"), write);
  }));

Deno.test("watchFiles() asks for a look now and then, also where nothing can be watched", () => {
  let polls = 0;
  let tick = (): void => {};
  let ended = false;
  {
    using _watch = watchFiles({
      paths: ["/nonexistent/tls.crt"],
      onEvent: () => assert.fail("nothing can happen there"),
      onPoll: () => polls++,
      every: (intervalMs, task) => {
        assert.ok(intervalMs <= 60_000);
        tick = task;
        return { [Symbol.dispose]: () => ended = true };
      },
    });
    tick();
    tick();
  }
  assert.equal(polls, 2);
  assert.ok(ended);
});
