import assert from "node:assert/strict";
import { join } from "node:path";
import { AppError } from "../../src/errors.ts";
import { listenOnUnixSocket } from "../../src/http/unix_socket.ts";

const ignore = Deno.build.os === "windows";

async function inFolder(run: (folder: string, path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ dir: "/tmp" });
  try {
    await run(folder, join(folder, "mcp.sock"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function listen(path: string): Promise<Deno.UnixListener> {
  return listenOnUnixSocket(path, () => Deno.listen({ transport: "unix", path }));
}

/** A socket file behind which nobody listens, as a server that was killed leaves it. */
function leaveStale(folder: string, path: string): void {
  const other = join(folder, "other");
  const listener = Deno.listen({ transport: "unix", path: other });
  Deno.renameSync(other, path);
  listener.close();
  assert.ok(Deno.lstatSync(path).isSocket);
}

async function refusal(path: string): Promise<string> {
  try {
    (await listen(path)).close();
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "cannot_bind", String(error));
    return error.describe();
  }
  return assert.fail("listens");
}

function exists(path: string): boolean {
  try {
    return Deno.lstatSync(path).ino !== 0;
  } catch {
    return false;
  }
}

Deno.test({ name: "listenOnUnixSocket() lets only this user in", ignore }, () =>
  inFolder(async (_, path) => {
    const mask = Deno.umask();
    const bound = await listenOnUnixSocket(path, () => {
      const listener = Deno.listen({ transport: "unix", path });
      assert.equal((Deno.statSync(path).mode ?? 0) & 0o077, 0, "from the first moment");
      return listener;
    });
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    assert.equal(Deno.umask(), mask);
    bound.close();
  }));

Deno.test(
  { name: "listenOnUnixSocket() replaces the socket of a dead server", ignore },
  () =>
    inFolder(async (folder, path) => {
      leaveStale(folder, path);
      const bound = await listen(path);
      (await Deno.connect({ transport: "unix", path })).close();
      bound.close();
      assert.equal(exists(path), false);
    }),
);

Deno.test(
  { name: "listenOnUnixSocket() leaves the socket of a living server alone", ignore },
  () =>
    inFolder(async (_, path) => {
      const bound = await listen(path);
      assert.match(await refusal(path), /Cannot listen on ".*mcp.sock": a server listens there. Stop/);
      (await Deno.connect({ transport: "unix", path })).close();
      bound.close();
    }),
);

Deno.test(
  { name: "listenOnUnixSocket() never removes anything but a socket", ignore },
  () =>
    inFolder(async (folder, path) => {
      await Deno.writeTextFile(path, "precious");
      assert.match(await refusal(path), /another kind of file is there/);
      assert.equal(await Deno.readTextFile(path), "precious");
      const link = join(folder, "link");
      await Deno.symlink(path, link);
      assert.match(await refusal(link), /another kind of file is there/);
      await Deno.symlink(join(folder, "nowhere"), join(folder, "dangling"));
      assert.match(await refusal(join(folder, "dangling")), /another kind of file is there/);
      assert.match(await refusal(folder), /another kind of file is there/);
      assert.match(await refusal(join(folder, "none", "mcp.sock")), /it does not exist/);
    }),
);

Deno.test(
  { name: "listenOnUnixSocket() lets one of many starters win over a stale socket", ignore },
  () =>
    inFolder(async (folder, path) => {
      leaveStale(folder, path);
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => listen(path)));
      const winners = results.filter((result) => result.status === "fulfilled");
      assert.equal(winners.length, 1);
      (await Deno.connect({ transport: "unix", path })).close();
      winners[0]?.value.close();
    }),
);
