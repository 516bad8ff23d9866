/** What a user of managed CDP does with the address of a session, whichever transport that has. */
import type { Message } from "../harness/json_rpc_inbox.ts";
import { until } from "../harness/until.ts";

export const CHANGES_WITHIN_MS = 20_000;

/** Below the ports that systems give out by themselves. */
const [FIRST_PORT, LAST_PORT] = [19_300, 19_900];

/** First of so many ports in a row that nobody has: for tests that name a range of exactly these. */
export function freePorts(count: number): number {
  for (let first = FIRST_PORT; first < LAST_PORT; first += count) {
    const listeners: Deno.Listener[] = [];
    try {
      for (let port = first; port < first + count; port++) {
        listeners.push(Deno.listen({ hostname: "127.0.0.1", port }));
      }
      return first;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    } finally {
      for (const listener of listeners) listener.close();
    }
  }
  throw new Error(`no ${count} ports in a row are free`);
}

interface Reporter {
  report(name: "cloakbrowser_bridge_info"): Promise<Message>;
}

/** The part about CDP of what the bridge says about itself. */
export async function cdpOf(user: Reporter): Promise<Message> {
  return (await user.report("cloakbrowser_bridge_info")).cdp;
}

/** Waits until CDP of the session is in this state; gives the report of that moment. */
export async function inState(user: Reporter, state: string): Promise<Message> {
  return await until(`CDP ${state}`, async () => {
    const cdp = await cdpOf(user);
    return cdp.state === state ? cdp : undefined;
  }, CHANGES_WITHIN_MS);
}

export async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
}

/** A raw DevTools connection to the browser behind a discovery URL. */
export async function devTools(discoveryUrl: string): Promise<WebSocket> {
  const version = await (await fetch(`${discoveryUrl}/json/version`)).json();
  const socket = new WebSocket(version.webSocketDebuggerUrl);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.onopen = () => resolve();
  socket.onerror = () => reject(new Error("no connection"));
  await promise;
  return socket;
}

/** The code that the connection is closed with. */
export function closeOf(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.onclose = (event) => resolve(event.code));
}
