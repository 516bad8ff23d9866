/**
 * Whether something listens at an address.
 */
import { connect } from "node:net";

export type Address = { readonly host: string; readonly port: number } | { readonly path: string };

/** @returns undefined where the connection was taken, else why not, as the end of a sentence */
export function tryConnecting(
  address: Address,
  withinMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  // Brackets are for URLs; the resolver wants the bare address.
  const target = "path" in address ? address : { ...address, host: address.host.replace(/^\[|\]$/g, "") };
  const socket = connect(target, () => resolve(undefined));
  const timer = setTimeout(() => resolve(`no answer within ${withinMs / 1000} s`), withinMs);
  const onAbort = (): void => resolve("nobody waits any more");
  signal.addEventListener("abort", onAbort);
  socket.on("error", (fault: NodeJS.ErrnoException) => resolve(REASONS[fault.code ?? ""] ?? fault.message));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    socket.destroy();
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOENT: "there is no such socket",
  ENOTFOUND: "the name is not known",
  EAI_AGAIN: "the name cannot be looked up",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ETIMEDOUT: "no answer",
};
