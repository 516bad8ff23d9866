/**
 * The address under which CDP clients reach the browser of one session: every connection carries one request, which is
 * judged, and answered from Chromium's discovery or made a tunnel to one of its targets.
 *
 * Whoever does not know the capability gets the same answer everywhere.
 */

import { messageOf } from "../errors.ts";
import { pause } from "../platform/deadline.ts";
import type { Logger } from "../telemetry/log.ts";
import { type AccessGuard, baseUrl, type CdpAddress, createAccessGuard } from "./access.ts";
import { answerBytes } from "./answer.ts";
import { sameCapability } from "./capability.ts";
import { ClientConnection } from "./client_connection.ts";
import { browserPath, discover } from "./discovery.ts";
import { CLOSE } from "./frames.ts";
import { closeQuietly, type InnerOptions } from "./inner_connection.ts";
import { MethodRules } from "./method_rules.ts";
import { type Refusal, refusalBytes, refusalStatus, refuse, type Verdict } from "./refusals.ts";
import { Rejections } from "./rejections.ts";
import type { RequestHead } from "./request_head.ts";
import { type DiscoveryRoute, discoveryRoute, socketRoute, splitPath } from "./routes.ts";
import { CLOSE_GRACE_MS, Tunnel } from "./tunnel.ts";
import { acceptBytes, checkUpgrade, type Handshake, isUpgrade, openTarget } from "./upgrade.ts";

export type { CdpAddress } from "./access.ts";

export interface CdpLimits {
  /** Tunnels at a time, with those that are being opened. */
  readonly maxConnections: number;
  /** Discovery requests at a time that wait for Chromium. */
  readonly maxHttpRequests: number;
  /** Of one WebSocket message, either way; 0 for none. */
  readonly maxMessageBytes: number;
  /** Of the header lines of one request. */
  readonly maxHeaderBytes: number;
  /** For the head of a request to come, for Chromium to answer, and for the client to take the answer; each of them. */
  readonly requestTimeoutMs: number;
}

export interface CdpEndpointOptions {
  /** Bound already, and closed by the endpoint. */
  readonly listener: Deno.Listener<Deno.TcpConn | Deno.TlsConn>;
  readonly advertised: CdpAddress;
  readonly limits: CdpLimits;
  /** Methods that clients may not call; `Target.*` is all of a domain. Empty keeps a tunnel a mere splice. */
  readonly denied: readonly string[];
  /** The only methods that clients may call; undefined for all that are not denied. */
  readonly allowed?: readonly string[] | undefined;
  /** Bytes moved in a tunnel, or a discovery request was answered; at most once a second for one connection. */
  readonly onTraffic: () => void;
  readonly log: Logger;
  /** Milliseconds. */
  readonly now: () => number;
}

/** What a published capability leads to. */
export interface CdpTarget {
  readonly capability: string;
  /** Of Chromium's DevTools on 127.0.0.1. */
  readonly port: number;
}

interface LiveTarget extends CdpTarget {
  /** Aborted when the capability dies. */
  readonly gone: AbortController;
}

/** Connections that are no tunnel; one more cuts the oldest, so that whoever holds many idle cannot lock others out. */
export const MAX_WAITING_CONNECTIONS = 256;
const TRAFFIC_INTERVAL_MS = 1000;
/** Until the next try after a connection could not be accepted: too many open files pass. */
const ACCEPT_PAUSE_MS = 50;

export class CdpEndpoint {
  readonly #options: CdpEndpointOptions;
  readonly #access: AccessGuard;
  readonly #rules: MethodRules | undefined;
  readonly #rejections: Rejections;
  readonly #accepting: Promise<void>;
  #target: LiveTarget | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;
  /** Oldest first. */
  readonly #waiting = new Set<ClientConnection>();
  readonly #tunnels = new Set<Tunnel>();
  readonly #serving = new Set<Promise<void>>();
  #upgrading = 0;
  #asking = 0;

  /** Accepts at once; without a target every path is unknown. */
  constructor(options: CdpEndpointOptions) {
    this.#options = options;
    this.#access = createAccessGuard(options.advertised);
    this.#rules = options.denied.length === 0 && options.allowed === undefined
      ? undefined
      : new MethodRules(options.denied, options.allowed);
    this.#rejections = new Rejections(options);
    this.#accepting = this.#accept();
  }

  /** Makes a capability lead to a browser, instead of the one before. */
  publish(target: CdpTarget): void {
    this.invalidate();
    if (this.#closing === undefined) this.#target = { ...target, gone: new AbortController() };
  }

  /** The capability is dead at once, and so are its tunnels. Idempotent. */
  invalidate(): void {
    this.#target?.gone.abort();
    this.#target = undefined;
    for (const tunnel of this.#tunnels) tunnel.end(CLOSE.goingAway);
  }

  /** `<scheme>://<authority>/cdp/<capability>`, while there is one. */
  discoveryUrl(): string | undefined {
    if (this.#target === undefined) return undefined;
    return `${baseUrl(this.#options.advertised)}/cdp/${this.#target.capability}`;
  }

  /** Open tunnels. */
  get activeConnections(): number {
    let count = 0;
    for (const tunnel of this.#tunnels) if (tunnel.open) count++;
    return count;
  }

  /**
   * Takes no more connections, closes the tunnels with 1001, cuts within five seconds what is still there, and closes
   * the listener last. Idempotent.
   *
   * @throws Error when the listener cannot be closed
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.invalidate();
    // A tunnel bounds its own end. Of the others only those that have asked are owed anything.
    for (const connection of this.#waiting) if (!connection.asked) connection.close();
    const grace = setTimeout(() => {
      for (const connection of this.#waiting) connection.close();
    }, CLOSE_GRACE_MS);
    while (this.#serving.size > 0) await Promise.all(this.#serving);
    clearTimeout(grace);
    this.#rejections[Symbol.dispose]();
    this.#closed = true;
    this.#options.listener.close();
    await this.#accepting;
  }

  async #accept(): Promise<void> {
    const { listener, log } = this.#options;
    while (!this.#closed) {
      try {
        const socket = await listener.accept();
        if (this.#closing === undefined) this.#welcome(socket);
        else closeQuietly(socket);
      } catch (error) {
        if (this.#closed || error instanceof Deno.errors.BadResource) break;
        log.debug("a CDP connection could not be accepted", { error: messageOf(error) });
        await pause(ACCEPT_PAUSE_MS);
      }
    }
  }

  #welcome(socket: Deno.Conn): void {
    const connection = new ClientConnection(socket);
    const [oldest] = this.#waiting;
    if (oldest !== undefined && this.#waiting.size >= MAX_WAITING_CONNECTIONS) {
      oldest.close();
      this.#waiting.delete(oldest);
    }
    this.#waiting.add(connection);
    const serving = this.#serve(connection)
      .catch((error) => this.#options.log.error("a CDP connection failed", { error: messageOf(error) }))
      .finally(() => {
        connection.close();
        this.#waiting.delete(connection);
        this.#serving.delete(serving);
      });
    this.#serving.add(serving);
  }

  async #serve(connection: ClientConnection): Promise<void> {
    const { maxHeaderBytes, requestTimeoutMs } = this.#options.limits;
    const read = await connection.readHead(maxHeaderBytes, requestTimeoutMs);
    if (read.kind === "gone") return;
    if (read.kind === "refused") return await this.#refuse(connection, read.refusal);
    const { head } = read;
    try {
      const answered = await this.#answer(connection, head);
      if (!answered.ok) await this.#refuse(connection, answered, head.method);
    } catch (error) {
      this.#options.log.error("a CDP request failed", { error: messageOf(error) });
      await this.#refuse(connection, { code: "internal_error" }, head.method);
    }
  }

  /** A verdict that passes has been answered already. */
  async #answer(connection: ClientConnection, head: RequestHead): Promise<Verdict> {
    const { given, rest } = splitPath(head.path);
    const target = this.#target;
    const known = sameCapability(given ?? "", target?.capability);
    if (!known || target === undefined) {
      if (given !== undefined) this.#rejections.count("capability");
      return refuse("not_found");
    }
    return isUpgrade(head)
      ? await this.#upgrade(connection, head, rest, target)
      : await this.#discover(connection, head, rest, target);
  }

  async #discover(
    connection: ClientConnection,
    head: RequestHead,
    rest: string,
    target: LiveTarget,
  ): Promise<Verdict> {
    const { limits, onTraffic } = this.#options;
    const matched = discoveryRoute(rest, head.query);
    if (!matched.ok) return matched;
    const { route } = matched;
    if (head.method !== route.method) return refuse("method_not_allowed", { allow: route.method });
    if (head.hasBody) return refuse("payload_too_large");
    if (this.#asking >= limits.maxHttpRequests) return refuse("unavailable");
    const access = this.#checkAccess(head);
    if (!access.ok) return access;
    if (route.cdpMethod !== undefined && this.#rules?.denies(route.cdpMethod)) return refuse("forbidden");
    const found = await this.#ask(route, target);
    if (!found.ok) return found;
    if (this.#target !== target) return refuse("unavailable");
    onTraffic();
    await connection.answer(answerBytes(200, route.answer, found.body), limits.requestTimeoutMs);
    return { ok: true };
  }

  async #ask(
    route: DiscoveryRoute,
    { capability, port, gone }: LiveTarget,
  ): Promise<Verdict<{ readonly body: Uint8Array | string }>> {
    const { advertised, limits } = this.#options;
    // `http` becomes `ws`, and `https` `wss`.
    const socketBase = `${baseUrl(advertised).replace(/^http/, "ws")}/cdp/${capability}`;
    this.#asking++;
    try {
      return await discover(route, {
        port,
        socketBase,
        budgetMs: limits.requestTimeoutMs,
        gone: gone.signal,
      });
    } finally {
      this.#asking--;
    }
  }

  async #upgrade(
    connection: ClientConnection,
    head: RequestHead,
    rest: string,
    target: LiveTarget,
  ): Promise<Verdict> {
    const matched = socketRoute(rest, head.query);
    if (!matched.ok) return matched;
    if (head.hasBody) return refuse("payload_too_large");
    const access = this.#checkAccess(head);
    if (!access.ok) return access;
    if (this.#upgrading + this.activeConnections >= this.#options.limits.maxConnections) {
      return refuse("unavailable");
    }
    const checked = checkUpgrade(head);
    if (!checked.ok) return checked;
    this.#upgrading++;
    let upgrading = true;
    const end = (): void => {
      if (upgrading) this.#upgrading--;
      upgrading = false;
    };
    try {
      const opened = await this.#open(connection, checked.handshake, matched.route.path, target);
      if (!opened.ok) return opened;
      const { tunnel } = opened;
      end();
      await tunnel?.done;
      if (tunnel !== undefined) this.#tunnels.delete(tunnel);
      return { ok: true };
    } finally {
      end();
    }
  }

  /** @returns no tunnel where the client has gone away meanwhile */
  async #open(
    connection: ClientConnection,
    handshake: Handshake,
    path: string | undefined,
    target: LiveTarget,
  ): Promise<Verdict<{ readonly tunnel: Tunnel | undefined }>> {
    const { limits } = this.#options;
    const deadline = performance.now() + limits.requestTimeoutMs;
    const inTime = (): InnerOptions => ({
      port: target.port,
      budgetMs: deadline - performance.now(),
      gone: target.gone.signal,
    });
    const found = path === undefined ? await browserPath(inTime()) : { ok: true, path } as const;
    if (!found.ok) return found;
    const opened = await openTarget(found.path, handshake.key, inTime());
    if (!opened.ok) return opened;
    const { socket: inner, received } = opened;
    if (this.#target !== target) {
      closeQuietly(inner);
      return refuse("unavailable");
    }
    if (!await connection.write(acceptBytes(handshake), limits.requestTimeoutMs)) {
      closeQuietly(inner);
      return { ok: true, tunnel: undefined };
    }
    this.#waiting.delete(connection);
    const tunnel = new Tunnel({
      client: connection.socket,
      inner,
      received,
      maxMessageBytes: limits.maxMessageBytes,
      rules: this.#rules,
      onBytes: this.#throttledTraffic(),
    });
    this.#tunnels.add(tunnel);
    // The capability may have died while the client was told that it is connected.
    if (this.#target !== target) tunnel.end(CLOSE.goingAway);
    return { ok: true, tunnel };
  }

  #throttledTraffic(): () => void {
    const { now, onTraffic } = this.#options;
    let last = -Infinity;
    return () => {
      const time = now();
      if (time - last < TRAFFIC_INTERVAL_MS) return;
      last = time;
      onTraffic();
    };
  }

  #checkAccess(head: RequestHead): Verdict {
    const access = this.#access(head);
    if (access.ok) return access;
    this.#rejections.count(access.about);
    return refuse(access.code);
  }

  async #refuse(connection: ClientConnection, refusal: Refusal, method?: string): Promise<void> {
    this.#options.log.debug("CDP request refused", { status: refusalStatus(refusal), code: refusal.code });
    await connection.answer(refusalBytes(refusal, method), this.#options.limits.requestTimeoutMs);
  }
}
