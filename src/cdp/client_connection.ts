/**
 * One TCP connection of a client, up to its answer or until it becomes a tunnel.
 */

import { closeQuietly } from "./inner_connection.ts";
import { type Refusal } from "./refusals.ts";
import { type RequestHead, RequestHeadReader } from "./request_head.ts";
import { writeAll } from "../platform/write_all.ts";

/** After an answer the client gets this long to close: to close first, with bytes unread, would destroy the answer. */
const LINGER_MS = 1000;

export type HeadResult =
  | { readonly kind: "head"; readonly head: RequestHead }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** Nothing has come. */
  | { readonly kind: "gone" };

export class ClientConnection {
  readonly socket: Deno.Conn;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #asked = false;
  /** Deno 2.7 leaves a write that waits for its reader pending when the socket is closed. */
  readonly #gone = Promise.withResolvers<void>();

  constructor(socket: Deno.Conn) {
    this.socket = socket;
    const { setNoDelay, setKeepAlive } = socket as Partial<Deno.TcpConn>;
    setNoDelay?.call(socket, true);
    // A client whose machine is gone says so to nobody.
    setKeepAlive?.call(socket, true);
  }

  /** A request has come whole. */
  get asked(): boolean {
    return this.#asked;
  }

  async readHead(maxHeaderBytes: number, withinMs: number): Promise<HeadResult> {
    const reader = new RequestHeadReader(maxHeaderBytes);
    const buffer = new Uint8Array(4096);
    const expiry = this.#expiry(withinMs);
    try {
      for (;;) {
        const size = await Promise.race([this.socket.read(buffer), expiry]);
        // Who has not even begun TLS can be told nothing.
        const silent = !reader.started && "handshake" in this.socket;
        if (size === "expired" && silent) return { kind: "gone" };
        if (size === "expired") return { kind: "refused", refusal: { code: "request_timeout" } };
        if (size === null) {
          return reader.started ? { kind: "refused", refusal: { code: "bad_request" } } : { kind: "gone" };
        }
        const reading = reader.push(buffer.subarray(0, size));
        if (reading.state === "refused") return { kind: "refused", refusal: { code: reading.code } };
        this.#asked = reading.state === "done";
        if (reading.state === "done") return { kind: "head", head: reading.head };
      }
    } catch {
      return { kind: "gone" };
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Writes the one answer of this connection and closes it. A client that does not take it is cut. */
  async answer(bytes: Uint8Array, withinMs: number): Promise<void> {
    this.#limit(withinMs);
    await Promise.race([this.#answer(bytes), this.#gone.promise]);
    this.close();
  }

  async #answer(bytes: Uint8Array): Promise<void> {
    try {
      await writeAll(this.socket, bytes);
      await this.socket.closeWrite();
      this.#limit(LINGER_MS);
      const rest = new Uint8Array(4096);
      while (await this.socket.read(rest) !== null);
    } catch {
      // gone before its answer
    }
  }

  /** Writes without an end, as the first bytes of a tunnel. False when the client is gone. */
  async write(bytes: Uint8Array, withinMs: number): Promise<boolean> {
    this.#limit(withinMs);
    try {
      await Promise.race([writeAll(this.socket, bytes), this.#gone.promise]);
      return !this.#closed;
    } catch {
      return false;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  close(): void {
    this.#closed = true;
    this.#gone.resolve();
    clearTimeout(this.#timer);
    closeQuietly(this.socket);
  }

  #limit(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.close(), ms);
  }

  #expiry(ms: number): Promise<"expired"> {
    return new Promise((resolve) => this.#timer = setTimeout(resolve, ms, "expired" as const));
  }
}
