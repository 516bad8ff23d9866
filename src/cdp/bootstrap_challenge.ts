/**
 * Proof that the browser behind a DevTools connection is the one that MCP drives: a one-use secret goes in through an
 * MCP tool and has to come out through DevTools.
 *
 * The secret is a comment in the source of a function that MCP evaluates. Pages have no way to a script's source, and
 * nothing refers to the script once it has run, so no page can see or keep it; the debugger of DevTools does, while
 * it is on.
 */
import { Buffer } from "node:buffer";
import type { DevToolsEvent, DevToolsSocket } from "./devtools_socket.ts";

/** Runs an MCP tool in the browser; rejects where it fails. */
export type RunTool = (name: string, args: Readonly<Record<string, unknown>>) => Promise<void>;

const SECRET_BYTES = 32;

/** The evaluated function and what Playwright puts around it are far smaller; a page's own scripts need not be read. */
const MAX_SOURCE_CHARS = 1024;

/** A browser with more pages has to hold the secret in one of the first. */
const MAX_PAGES = 50;

/**
 * Resolves when the secret has been seen.
 *
 * @param signal ends the wait; the reason is thrown
 */
export async function proveSameBrowser(
  socket: DevToolsSocket,
  runTool: RunTool,
  signal: AbortSignal,
): Promise<void> {
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64url");
  const seen = Promise.withResolvers<void>();
  const abandon = (): void => seen.reject(signal.reason);
  signal.addEventListener("abort", abandon, { once: true });
  const pages = await attachToPages(socket);
  try {
    using _listener = socket.listen((event) => {
      void holdsSecret(socket, event, secret).then((found) => found && seen.resolve());
    });
    const running = runTool("browser_evaluate", { function: `() => { /* ${secret} */ }` });
    running.catch(seen.reject);
    await seen.promise;
    await running;
  } finally {
    signal.removeEventListener("abort", abandon);
    // Detaching switches the debugger of that connection off.
    await Promise.allSettled(
      pages.map((sessionId) => socket.request("Target.detachFromTarget", { sessionId })),
    );
  }
}

/** Switches the debugger on in every page; no page is stopped by it. */
async function attachToPages(socket: DevToolsSocket): Promise<string[]> {
  const { targetInfos } = await socket.request("Target.getTargets", {});
  const targets = Array.isArray(targetInfos) ? targetInfos : [];
  const attached = await Promise.allSettled(
    targets.filter(({ type }) => type === "page").slice(0, MAX_PAGES).map(async ({ targetId }) => {
      const { sessionId } = await socket.request("Target.attachToTarget", { targetId, flatten: true });
      await socket.request("Debugger.enable", {}, String(sessionId));
      await socket.request("Debugger.setSkipAllPauses", { skip: true }, String(sessionId));
      return String(sessionId);
    }),
  );
  return attached.flatMap((each) => each.status === "fulfilled" ? [each.value] : []);
}

async function holdsSecret(socket: DevToolsSocket, event: DevToolsEvent, secret: string): Promise<boolean> {
  const { method, params, sessionId } = event;
  if (method !== "Debugger.scriptParsed" || Number(params.length) > MAX_SOURCE_CHARS) return false;
  try {
    const { scriptSource } = await socket.request(
      "Debugger.getScriptSource",
      { scriptId: params.scriptId },
      sessionId,
    );
    return typeof scriptSource === "string" && scriptSource.includes(secret);
  } catch {
    // The page has gone meanwhile.
    return false;
  }
}
