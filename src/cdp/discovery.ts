/**
 * Asks Chromium what a discovery request of a client asks for.
 */

import { InnerConnection, type InnerOptions, orRefusal } from "./inner_connection.ts";
import { PASSED, refuse, type Verdict } from "./refusals.ts";
import { devToolsPath, ForeignAddress, rewriteAddresses } from "./rewrite.ts";
import type { DiscoveryRoute } from "./routes.ts";

/** `/json/protocol` has about 1.6 MB; a list of thousand targets less. */
export const MAX_DISCOVERY_BYTES = 4 * 1024 * 1024;

export interface DiscoveryOptions extends InnerOptions {
  /** What addresses in the answer begin with, `ws://host:port/cdp/<capability>`. */
  readonly socketBase: string;
}

/** Asks once: nothing that changes the browser may happen twice. */
export async function discover(
  route: DiscoveryRoute,
  options: DiscoveryOptions,
): Promise<Verdict<{ readonly body: Uint8Array | string }>> {
  const asked = await askChromium(route.method, route.path, options);
  if (!asked.ok || route.answer === "text") return asked;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(asked.body);
    if (route.addresses) return { ok: true, body: rewriteAddresses(text, options.port, options.socketBase) };
    JSON.parse(text);
    return asked;
  } catch (error) {
    if (isInvalidAnswer(error)) return refuse("bad_gateway");
    throw error;
  }
}

/** The path of the browser's own socket, `/devtools/browser/<id>`. */
export async function browserPath(options: InnerOptions): Promise<Verdict<{ readonly path: string }>> {
  const asked = await askChromium("GET", "/json/version", options);
  if (!asked.ok) return asked;
  try {
    const version = JSON.parse(new TextDecoder().decode(asked.body));
    return { ok: true, path: devToolsPath(version?.webSocketDebuggerUrl, options.port) };
  } catch (error) {
    if (isInvalidAnswer(error)) return refuse("bad_gateway");
    throw error;
  }
}

function askChromium(
  method: string,
  path: string,
  options: InnerOptions,
): Promise<Verdict<{ readonly body: Uint8Array }>> {
  return orRefusal(async () => {
    using connection = await InnerConnection.open(options);
    await connection.ask(method, path, options.port, ["Connection: close"]);
    const head = await connection.head();
    const verdict = judgeStatus(head.status, 200);
    if (!verdict.ok) return verdict;
    return { ok: true, body: await connection.body(head, MAX_DISCOVERY_BYTES) };
  });
}

/** A refusal of Chromium keeps its status; whatever else is not what was asked for is a fault of Chromium. */
export function judgeStatus(status: number, wanted: number): Verdict {
  if (status === wanted) return PASSED;
  return status >= 400 && status < 500 ? refuse("upstream_error", { status }) : refuse("bad_gateway");
}

/** Too deep a nesting is a RangeError. */
function isInvalidAnswer(error: unknown): boolean {
  return error instanceof SyntaxError || error instanceof ForeignAddress || error instanceof TypeError ||
    error instanceof RangeError;
}
