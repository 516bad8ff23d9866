/**
 * Deno up to 2.7.13 gives a `node:net` socket a start of its own when the call stack at its construction
 * names one of a few packages, `playwright-core` among them. A client of a unix socket then never reads, and
 * whatever upstream does through a socket to its own browser (`--isolated`, a shared context) hangs.
 */

import net from "node:net";

type Connect = (...args: unknown[]) => net.Socket;

/** Hides the call stack from the construction of sockets that connect to a path. */
export function repairUnixSockets(): void {
  const module = net as unknown as Record<"connect" | "createConnection", Connect>;
  for (const name of ["connect", "createConnection"] as const) {
    const original = module[name];
    module[name] = (...args) =>
      connectsToPath(args[0]) ? withoutStack(() => original(...args)) : original(...args);
  }
}

/** `net.connect` takes a path as a string that is no port number, or as an option. */
function connectsToPath(target: unknown): boolean {
  if (typeof target === "string") return !/^\d+$/.test(target);
  return typeof target === "object" && target !== null &&
    typeof (target as { path?: unknown }).path === "string";
}

function withoutStack<Result>(construct: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return construct();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
