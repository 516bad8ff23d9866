/**
 * Temporary files of upstream and of its Chromium in a directory of the bridge's, so that they go with it.
 */

import { Buffer } from "node:buffer";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";

/** Names the directory to the child. The bridge owns its parent, and removes that at the end. */
export const PRIVATE_TEMP_VARIABLE = "CLOAKBROWSER_MCP_PRIVATE_TMP";

/** Longest path of a unix socket that every system takes, in bytes: macOS has room for 104 with the final NUL. */
const LONGEST_SOCKET_PATH = 103;

/** The longest socket that Chromium makes below its temporary directory. */
const CHROMIUM_SOCKET = "org.chromium.Chromium.XXXXXX/SingletonSocket";

/** The longest socket that upstream makes below its socket directory. */
const UPSTREAM_SOCKET = "s/dashboard/0123456789abcdef.sock";

/**
 * Moves temporary files into the directory that `CLOAKBROWSER_MCP_PRIVATE_TMP` names: profiles, downloads,
 * traces and sockets of upstream, and what Chromium itself puts into TMPDIR. After a crash nobody else would
 * remove them. Does nothing when the variable is not set.
 *
 * `os.tmpdir()` keeps its answer, because upstream writes the output of tools there when it has no better place,
 * and the user must find those files afterwards. That is why the bridge does not simply give the child another
 * TMPDIR.
 *
 * @throws {Error} When its parent is not there: the bridge is gone, and nobody would remove what is made here.
 * @returns The variables that make another process of this program do the same.
 */
export function usePrivateTemp(): Record<string, string> {
  const directory = process.env[PRIVATE_TEMP_VARIABLE];
  if (directory === undefined || directory === "") return {};
  delete process.env[PRIVATE_TEMP_VARIABLE];
  makeDirectory(directory);

  const shared = os.tmpdir();
  os.tmpdir = () => shared;
  // A longer path would keep Chromium or upstream from starting at all, which is worse than a file left behind.
  if (fits(directory, CHROMIUM_SOCKET)) process.env["TMPDIR"] = directory;
  if (fits(directory, UPSTREAM_SOCKET)) process.env["PWTEST_SOCKETS_DIR"] ??= path.join(directory, "s");

  const move = (prefix: unknown): unknown =>
    typeof prefix === "string" && path.dirname(prefix) === shared
      ? path.join(directory, path.basename(prefix))
      : prefix;
  redirectFirstArgument(fs, "mkdtemp", move);
  redirectFirstArgument(fs, "mkdtempSync", move);
  redirectFirstArgument(fs.promises, "mkdtemp", move);
  return { [PRIVATE_TEMP_VARIABLE]: directory, TMPDIR: shared };
}

/** Replaces a method by itself with another first argument. Its overloads make any closer type untrue. */
function redirectFirstArgument<Name extends string>(
  owner: Record<Name, unknown>,
  name: Name,
  move: (first: unknown) => unknown,
): void {
  const original = owner[name] as (...args: unknown[]) => unknown;
  owner[name] = (first: unknown, ...rest: unknown[]) => original.call(owner, move(first), ...rest);
}

function makeDirectory(directory: string): void {
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process of the same bridge was first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function fits(directory: string, socket: string): boolean {
  return Buffer.byteLength(path.join(directory, socket)) <= LONGEST_SOCKET_PATH;
}
