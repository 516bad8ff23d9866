/**
 * The sessions of one server: admission, look-up, expiry and end. A session counts once, from its reservation until
 * nothing of it is left.
 */
import { shortId } from "../telemetry/short_id.ts";
import type { Bridge } from "../bridge/bridge.ts";
import type { ClientPort } from "../bridge/client_port.ts";
import { messageOf } from "../errors.ts";
import { NO_SESSION_OPTIONS, type SessionOptions } from "../settings/session_options.ts";
import type { Logger } from "../telemetry/log.ts";
import { Session, type SessionRecord } from "./session.ts";
import { SessionPort } from "./session_port.ts";
import type { SessionState } from "./session.ts";
import type { SessionStore } from "./session_store.ts";

export interface SessionsOptions {
  readonly store: SessionStore;
  readonly max: number;
  /** Most sessions of one client. */
  readonly maxPerClient: number | undefined;
  readonly idleTtlMs: number;
  readonly keepaliveMs: number;
  readonly closeGraceMs: number;
  /** Opens a bridge, whose upstream may be running already, and names the session that it is for. */
  readonly open: (client: ClientPort, options: SessionOptions) => Promise<NamedBridge>;
  readonly log: Logger;
  readonly now: () => number;
  /** Told of each session once when it has opened and once when nothing of it is left. */
  readonly observer?: SessionObserver;
}

/** `failed`: its `initialize` came to nothing. */
export const SESSION_ENDS = ["deleted", "expired", "drained", "failed"] as const;
export type SessionEnd = (typeof SESSION_ENDS)[number];

export interface SessionObserver {
  sessionOpened(): void;
  sessionClosed(end: SessionEnd): void;
}

/** A bridge and the id of the session that it serves: unguessable, made when the bridge is. */
export interface NamedBridge {
  readonly id: string;
  readonly bridge: Bridge;
}

/** Why a session was not admitted. */
export type Admission = { readonly ok: true; readonly session: Session } | {
  readonly ok: false;
  readonly reason: "full" | "client_full" | "draining";
};

export interface Occupancy {
  readonly active: number;
  readonly pending: number;
  readonly max: number;
  readonly available: number;
}

/** What a call hears that is still running then. */
const WHY: Readonly<Record<SessionEnd, string>> = {
  deleted: "its session was ended",
  expired: "its session has expired",
  drained: "the server is shutting down",
  failed: "its session did not come about",
};

/** A client that does not come back after `initialize` has probably never heard its session's id. */
const UNCLAIMED_TTL_MS = 120_000;

/** The longest that an idle session may outlive its time. */
const MAX_SWEEP_MS = 60_000;

export class Sessions {
  readonly #options: SessionsOptions;
  /** What counts: every session from its reservation on. */
  readonly #records = new Set<SessionRecord>();
  readonly #sessions = new Map<string, Session>();
  readonly #closing = new Map<string, Promise<void>>();
  /** Settle when a reserved session has become active or given back everything. */
  readonly #opening = new Set<Promise<void>>();
  readonly #sweep: ReturnType<typeof setInterval>;
  #draining = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.expire(), Math.min(options.idleTtlMs, MAX_SWEEP_MS));
    Deno.unrefTimer(Number(this.#sweep));
  }

  get draining(): boolean {
    return this.#draining;
  }

  occupancy(): Occupancy {
    const { max } = this.#options;
    const active = this.#sessions.size;
    return {
      active,
      pending: this.#records.size - active,
      max,
      available: Math.max(max - this.#records.size, 0),
    };
  }

  /**
   * Opens a session for `owner`, counted against `client`. What fails on the way gives back the slot.
   *
   * @throws what opening the bridge throws
   */
  async admit(
    owner: string,
    client: string,
    options: SessionOptions = NO_SESSION_OPTIONS,
  ): Promise<Admission> {
    this.expire();
    const { max, maxPerClient, now, log } = this.#options;
    if (this.#draining) return { ok: false, reason: "draining" };
    if (this.#records.size >= max) return { ok: false, reason: "full" };
    const taken = [...this.#records].filter((record) => record.client === client).length;
    if (maxPerClient !== undefined && taken >= maxPerClient) return { ok: false, reason: "client_full" };

    const record: SessionRecord = {
      id: "",
      owner,
      client,
      createdAt: now(),
      lastActivityAt: now(),
      state: "reserved",
    };
    this.#records.add(record);
    const opening = Promise.withResolvers<void>();
    this.#opening.add(opening.promise);
    try {
      const port = new SessionPort({
        keepaliveMs: this.#options.keepaliveMs,
        headers: () => ({ "Mcp-Session-Id": record.id }),
      });
      const { id, bridge } = await this.#options.open(port, options);
      record.id = id;
      const session = new Session(record, bridge, port, now);
      if (this.#draining) {
        await bridge.close(this.#options.closeGraceMs);
        this.#records.delete(record);
        return { ok: false, reason: "draining" };
      }
      this.#sessions.set(id, session);
      record.state = "active";
      await this.#options.store.put(record);
      this.#options.observer?.sessionOpened();
      log.info("session opened", { session: shortId(id) });
      return { ok: true, session };
    } catch (error) {
      this.#records.delete(record);
      throw error;
    } finally {
      this.#opening.delete(opening.promise);
      opening.resolve();
    }
  }

  /** The session of this id, if it is there and belongs to `owner`. */
  find(id: string, owner: string): Session | undefined {
    const session = this.#sessions.get(id);
    if (session?.record.owner !== owner || session.record.state !== "active") return undefined;
    session.claimed = true;
    return session;
  }

  /** How many sessions are in this state. */
  count(state: SessionState): number {
    return [...this.#records].filter((record) => record.state === state).length;
  }

  /** How many upstream processes serve sessions. */
  upstreamCount(): number {
    return [...this.#sessions.values()].filter(({ bridge }) => bridge.relay.supervisor.pid !== undefined)
      .length;
  }

  /** Ends a session. Concurrent calls share the work, and the first one's reason counts. */
  close(session: Session, end: SessionEnd): Promise<void> {
    const { id } = session.record;
    const running = this.#closing.get(id);
    if (running !== undefined) return running;
    const closing = this.#close(session, end).finally(() => this.#closing.delete(id));
    this.#closing.set(id, closing);
    return closing;
  }

  /** Ends the sessions whose time is over. */
  expire(): void {
    const { idleTtlMs } = this.#options;
    for (const session of this.#sessions.values()) {
      const ttlMs = session.claimed ? idleTtlMs : Math.min(idleTtlMs, UNCLAIMED_TTL_MS);
      if (session.idleMs() >= ttlMs) void this.close(session, "expired");
    }
  }

  /** Takes no more sessions and lets running calls finish, `graceMs` at most; then ends everything. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    clearInterval(this.#sweep);
    const sessions = [...this.#sessions.values()];
    const quiet = Promise.all(sessions.map((session) => session.bridge.relay.drain()));
    let timer: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([quiet, new Promise((resolve) => timer = setTimeout(resolve, graceMs))]);
    clearTimeout(timer);
    await Promise.all([...sessions.map((session) => this.close(session, "drained")), ...this.#opening]);
  }

  /** Kills what serves the sessions, browsers included, for a server that cannot wait for their ends. */
  async kill(): Promise<void> {
    await Promise.all(Array.from(this.#sessions.values(), ({ bridge }) => bridge.relay.supervisor.kill()));
  }

  async #close(session: Session, end: SessionEnd): Promise<void> {
    const { record, bridge, port } = session;
    record.state = "draining";
    try {
      await bridge.close(this.#options.closeGraceMs, WHY[end]);
    } catch (error) {
      this.#options.log.error("closing a session failed", {
        session: shortId(record.id),
        cause: messageOf(error),
      });
    }
    port.close();
    record.state = "gone";
    this.#sessions.delete(record.id);
    this.#records.delete(record);
    await this.#options.store.delete(record.id);
    this.#options.observer?.sessionClosed(end);
    this.#options.log.info("session closed", { session: shortId(record.id) });
  }
}
