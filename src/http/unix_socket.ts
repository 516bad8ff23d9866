/**
 * A unix socket that nobody but this user can ever open, in the place of one that a dead server left behind, but
 * never in the place of anything else.
 */
import { dirname } from "node:path";
import { AppError, messageOf } from "../errors.ts";
import { settlesWithin } from "../platform/deadline.ts";
import { describeFileFault } from "../settings/file_fault.ts";

/** Others may hold the lock of a common directory such as `/tmp` for long; it only keeps two starters apart. */
const LOCK_WAIT_MS = 1_000;

/**
 * The runtime removes the socket file when it closes the socket.
 *
 * @param bind makes the socket at `path` and listens
 * @returns what `bind` returned
 * @throws {AppError} `cannot_bind`
 */
export async function listenOnUnixSocket<T>(path: string, bind: () => T): Promise<T> {
  using _claim = await lockDirectory(dirname(path));
  await removeStaleSocket(path);
  try {
    return bindPrivately(path, bind);
  } catch (cause) {
    throw cannotBind(path, `: ${describeFileFault(cause)}`, "Choose another --http-socket", cause);
  }
}

/** Between looking at a stale socket and replacing it, no other server may do the same. */
async function lockDirectory(path: string): Promise<Disposable> {
  try {
    const directory = await Deno.open(path, { read: true });
    await settlesWithin(directory.lock(true), LOCK_WAIT_MS);
    return { [Symbol.dispose]: () => directory.close() };
  } catch {
    // A directory that cannot be read cannot be locked; binding tells whether it can be used.
    return { [Symbol.dispose]: () => {} };
  }
}

async function removeStaleSocket(path: string): Promise<void> {
  const there = await lstat(path);
  if (there === undefined) return;
  if (!there.isSocket) {
    throw cannotBind(path, " as a socket: another kind of file is there", "Choose another --http-socket");
  }
  try {
    (await Deno.connect({ transport: "unix", path })).close();
  } catch (cause) {
    if (cause instanceof Deno.errors.ConnectionRefused) return await Deno.remove(path);
    if (cause instanceof Deno.errors.NotFound) return;
    throw cannotBind(
      path,
      `: the socket that is there cannot be tried: ${messageOf(cause)}`,
      "Remove it, or choose another --http-socket",
      cause,
    );
  }
  throw cannotBind(path, ": a server listens there", "Stop that server, or choose another --http-socket");
}

/**
 * The mask keeps others out from the first moment. It holds for the whole process, so it takes away nothing that the
 * owner could need on a directory that is made at the same time; only the mode of the socket itself is made exact.
 */
function bindPrivately<T>(path: string, bind: () => T): T {
  if (Deno.build.os === "windows") return bind();
  const mask = Deno.umask(0o077);
  try {
    const bound = bind();
    Deno.chmodSync(path, 0o600);
    return bound;
  } finally {
    Deno.umask(mask);
  }
}

async function lstat(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw cannotBind(path, `: ${describeFileFault(error)}`, "Choose another --http-socket", error);
  }
}

function cannotBind(path: string, reason: string, remedy: string, cause?: unknown): AppError {
  return new AppError("cannot_bind", `Cannot listen on "${path}"${reason}`, { remedy, cause });
}
