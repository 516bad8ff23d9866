/**
 * The way to the client of a tunnel: Chromium's frames as they come, and between two of them, where there is need, a
 * frame of ours.
 */

import type { Scan } from "./frame_tracker.ts";
import { writeAll } from "../platform/write_all.ts";

interface Pending {
  readonly frame: Uint8Array;
  readonly settle: (error?: unknown) => void;
}

export class ClientOutlet {
  readonly #client: Deno.Conn;
  /** Frames of ours that wait for a place. */
  readonly #pending: Pending[] = [];
  /** What has been written ends with a whole frame. */
  #clean = true;
  #writing = false;
  /** Called when nothing is being written any more. */
  #idle: (() => void) | undefined;

  constructor(client: Deno.Conn) {
    this.#client = client;
  }

  /** What Chromium has sent ends with a whole frame, so that one of ours can follow. */
  get clean(): boolean {
    return this.#clean;
  }

  /** Writes what a scan has found to be whole. One call at a time. */
  async forward(bytes: Uint8Array, { whole, boundary }: Scan): Promise<void> {
    if (this.#writing) await new Promise<void>((resolve) => this.#idle = resolve);
    this.#writing = true;
    try {
      let from = 0;
      if (this.#pending.length > 0 && boundary >= 0) {
        if (boundary > 0) await writeAll(this.#client, bytes.subarray(0, boundary));
        await this.#writePending();
        from = boundary;
      }
      if (whole > from) {
        this.#clean = false;
        await writeAll(this.#client, bytes.subarray(from, whole));
      }
      this.#clean = boundary === whole || (whole === 0 && this.#clean);
      // What has come meanwhile need not wait for Chromium's next frame.
      if (this.#clean) await this.#writePending();
    } finally {
      this.#done();
    }
  }

  /**
   * Writes a frame of ours at the next place there is; resolves when it is written.
   *
   * @throws Error when the client is gone, or Chromium before its frame was at its end
   */
  inject(frame: Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#pending.push({ frame, settle: (error) => error === undefined ? resolve() : reject(error) });
    });
    if (this.#clean && !this.#writing) this.#flush();
    return written;
  }

  /** Gives up what waits: no place will come any more. */
  abandon(): void {
    for (const { settle } of this.#pending.splice(0)) settle(new Error("No frame can follow in this tunnel"));
  }

  async #flush(): Promise<void> {
    this.#writing = true;
    try {
      await this.#writePending();
    } catch {
      // told to whoever waits for the frame
    } finally {
      this.#done();
    }
  }

  async #writePending(): Promise<void> {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      try {
        await writeAll(this.#client, next.frame);
        next.settle();
      } catch (error) {
        next.settle(error);
        throw error;
      }
    }
  }

  #done(): void {
    this.#writing = false;
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle !== undefined) idle();
    else if (this.#clean && this.#pending.length > 0) this.#flush();
  }
}
