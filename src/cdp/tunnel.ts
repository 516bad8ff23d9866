/**
 * One WebSocket of a CDP client, spliced to one of Chromium. Bytes pass as they are, each way only as fast as the other
 * side reads: nothing is kept but the chunk that is being written.
 *
 * Frames are followed on the way to the client, so that its socket can be closed with a code when the browser or the
 * capability is gone.
 */

import { ClientInspector } from "./client_inspector.ts";
import { ClientOutlet } from "./client_outlet.ts";
import { FrameTracker } from "./frame_tracker.ts";
import { CLOSE, type CloseCode, closeFrame, textFrame } from "./frames.ts";
import { closeQuietly } from "./inner_connection.ts";
import type { MethodRules } from "./method_rules.ts";
import { writeAll } from "../platform/write_all.ts";

/** A client gets this long to take the end: a longer wait holds a socket for somebody who is gone. */
export const CLOSE_GRACE_MS = 1500;

/** Large enough that a message of megabytes needs few turns, small enough for every tunnel to have two. */
const CHUNK_BYTES = 262_144;

export interface TunnelOptions {
  readonly client: Deno.Conn;
  readonly inner: Deno.TcpConn;
  /** What Chromium has sent already. */
  readonly received: Uint8Array;
  /** Of one message, either way; 0 for none. */
  readonly maxMessageBytes: number;
  /** Undefined where clients may call everything. */
  readonly rules: MethodRules | undefined;
  /** Bytes have moved. */
  readonly onBytes: () => void;
}

export class Tunnel {
  /** Settles when both sockets are closed. Never rejects. */
  readonly done: Promise<void>;
  readonly #options: TunnelOptions;
  readonly #outlet: ClientOutlet;
  /** Of what Chromium sends. */
  readonly #frames: FrameTracker;
  /** What the client's socket is to be closed with; undefined while both sides are there. */
  #ending: CloseCode | undefined;
  #grace: ReturnType<typeof setTimeout> | undefined;
  readonly #cut = Promise.withResolvers<void>();

  constructor(options: TunnelOptions) {
    this.#options = options;
    this.#outlet = new ClientOutlet(options.client);
    this.#frames = new FrameTracker(options.maxMessageBytes);
    this.done = this.#run();
  }

  /** Both sides are still connected. */
  get open(): boolean {
    return this.#grace === undefined;
  }

  /**
   * Closes Chromium's side at once and the client's with `code`; in the middle of a frame the client's is cut.
   * Idempotent.
   */
  end(code: CloseCode): void {
    this.#ending ??= code;
    this.#limit();
    closeQuietly(this.#options.inner);
  }

  /** Closes both sides at once. */
  cut(): void {
    this.#cut.resolve();
    this.#limit();
    closeQuietly(this.#options.inner);
    closeQuietly(this.#options.client);
    this.#outlet.abandon();
  }

  async #run(): Promise<void> {
    // After a failure on the way to the client there is no one left to read what comes from it.
    const down = this.#pumpDown().catch(() => this.cut());
    const up = this.#pumpUp().catch(() => this.cut());
    // Deno 2.7 leaves a write that waits for its reader pending when the socket is closed.
    await Promise.race([Promise.all([down, up]), this.#cut.promise]);
    this.cut();
    clearTimeout(this.#grace);
  }

  /** From Chromium to the client. */
  async #pumpDown(): Promise<void> {
    const { inner, received, onBytes } = this.#options;
    const buffer = new Uint8Array(Math.max(CHUNK_BYTES, received.length * 2));
    buffer.set(received);
    let held = received.length;
    let fresh = held > 0;
    while (this.#ending === undefined) {
      if (!fresh) {
        const size = await readOrEnd(inner, buffer.subarray(held));
        if (size === null) break;
        held += size;
      }
      fresh = false;
      onBytes();
      const scan = this.#frames.scan(buffer.subarray(0, held));
      await this.#outlet.forward(buffer, scan);
      if (scan.fault !== undefined) return await this.#finish(scan.fault);
      buffer.copyWithin(0, scan.whole, held);
      held -= scan.whole;
    }
    // A part of a header that Chromium has never completed was never written, so the client's stream is whole.
    await this.#finish(this.#ending ?? CLOSE.goingAway);
  }

  /** Says goodbye to the client and leaves the rest to it, within the grace. */
  async #finish(code: CloseCode): Promise<void> {
    this.end(code);
    const { client } = this.#options;
    if (!this.#frames.closed) {
      if (!this.#outlet.clean) return this.cut();
      await this.#outlet.inject(closeFrame(this.#ending ?? code));
    }
    await client.closeWrite();
  }

  /** From the client to Chromium. After the end what comes is thrown away, until the client has seen it. */
  async #pumpUp(): Promise<void> {
    const { client, inner, onBytes } = this.#options;
    const buffer = new Uint8Array(CHUNK_BYTES / 4);
    const pass = this.#upward();
    for (let held = 0;;) {
      const size = await client.read(buffer.subarray(held));
      if (size === null) break;
      if (!this.open) {
        held = 0;
        continue;
      }
      onBytes();
      try {
        held = await pass(buffer, held + size);
      } catch {
        // Chromium's side is gone, which the way down sees as well and ends in order.
        held = 0;
        this.end(CLOSE.goingAway);
      }
    }
    // A WebSocket without its client is over: Chromium gets the time to close, but not for ever.
    this.#limit();
    await inner.closeWrite().catch(() => {});
  }

  /** Passes on what stands in a buffer up to a length; returns how much of it has to come again, from its start. */
  #upward(): (buffer: Uint8Array, length: number) => number | Promise<number> {
    const { inner, maxMessageBytes, rules } = this.#options;
    if (rules !== undefined) {
      const inspector = new ClientInspector(rules, maxMessageBytes);
      return async (buffer, length) => {
        await this.#inspect(inspector, buffer.subarray(0, length));
        return 0;
      };
    }
    if (maxMessageBytes === 0) {
      return async (buffer, length) => {
        await writeAll(inner, buffer.subarray(0, length));
        return 0;
      };
    }
    const frames = new FrameTracker(maxMessageBytes);
    return async (buffer, length) => {
      const { whole, fault } = frames.scan(buffer.subarray(0, length));
      if (whole > 0) await writeAll(inner, buffer.subarray(0, whole));
      if (fault !== undefined) {
        this.end(fault);
        return 0;
      }
      buffer.copyWithin(0, whole, length);
      return length - whole;
    };
  }

  async #inspect(inspector: ClientInspector, chunk: Uint8Array): Promise<void> {
    for (const found of inspector.push(chunk)) {
      if ("forward" in found) await writeAll(this.#options.inner, found.forward);
      else if ("answer" in found) await this.#outlet.inject(textFrame(found.answer));
      else return this.end(found.fault);
    }
  }

  /** From now on both sides are closed within the grace. */
  #limit(): void {
    this.#grace ??= setTimeout(() => this.cut(), CLOSE_GRACE_MS);
  }
}

/** A lost connection ends like a closed one. */
async function readOrEnd(connection: Deno.Conn, buffer: Uint8Array): Promise<number | null> {
  try {
    return await connection.read(buffer);
  } catch {
    return null;
  }
}
