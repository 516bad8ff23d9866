/**
 * One MCP session over HTTP: who owns it, what serves it, and whether it is in use.
 */
import type { Bridge } from "../bridge/bridge.ts";
import type { SessionPort } from "./session_port.ts";

/**
 * `reserved`: counts, and its bridge is being opened; `active`: the client has its id; `draining`: it takes no more
 * requests; `gone`: nothing of it is left.
 */
export type SessionState = "reserved" | "active" | "draining" | "gone";

/** What other parts may know of a session: metadata, never its traffic. */
export interface SessionRecord {
  /** Empty while the session is only reserved. */
  id: string;
  /** The token that opened it; only the same may use it. */
  readonly owner: string;
  /** What limits count it against: the token, or the address where there are none. */
  readonly client: string;
  readonly createdAt: number;
  state: SessionState;
  lastActivityAt: number;
}

export class Session {
  readonly record: SessionRecord;
  readonly port: SessionPort;
  readonly bridge: Bridge;
  readonly #now: () => number;
  #running = 0;
  /** Whether the client has used the id that it was given. */
  claimed = false;

  constructor(record: SessionRecord, bridge: Bridge, port: SessionPort, now: () => number) {
    this.record = record;
    this.bridge = bridge;
    this.port = port;
    this.#now = now;
  }

  /** Marks the time of a request until it is disposed of: a running call keeps its session alive. */
  use(): Disposable {
    this.#running++;
    this.record.lastActivityAt = this.#now();
    return {
      [Symbol.dispose]: (): void => {
        this.#running--;
        this.record.lastActivityAt = this.#now();
      },
    };
  }

  /** How long nothing has been running, in milliseconds; 0 while a call runs or a stream is open. */
  idleMs(): number {
    if (this.#running > 0 || this.port.busy(this.#now())) {
      this.record.lastActivityAt = this.#now();
      return 0;
    }
    const cdpTrafficAt = this.bridge.cdpTrafficAt?.() ?? 0;
    return this.#now() - Math.max(this.record.lastActivityAt, cdpTrafficAt);
  }
}
