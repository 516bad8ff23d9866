/**
 * Writes newline-delimited frames to one byte sink, in the order in which they were given.
 */

const NEWLINE = Uint8Array.of(0x0a);

/** Frames up to this size that wait together are joined into one write: one system call, one pipe wake-up. */
const JOIN_BYTES = 64 * 1024;

export interface FrameWriterOptions {
  /** Writes all of the bytes; a rejection means that the other side is gone. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Called once, with the first rejection; later frames are dropped. */
  readonly onFailure: (error: unknown) => void;
  /** Backlog in bytes from which on {@link FrameWriter.send} makes its caller wait. */
  readonly highWaterBytes: number;
}

export class FrameWriter {
  #waiting: Uint8Array[] = [];
  #backlog = 0;
  #pump: Promise<void> | undefined;
  #failed = false;
  readonly #options: FrameWriterOptions;

  constructor(options: FrameWriterOptions) {
    this.#options = options;
  }

  /** Bytes that are queued and not yet written. */
  get backlog(): number {
    return this.#backlog;
  }

  /** Queues a frame. Resolves at once while the backlog is small, else when all of it is written or dropped. */
  send(frame: Uint8Array): Promise<void> {
    if (this.#failed) return Promise.resolve();
    this.#waiting.push(frame, NEWLINE);
    this.#backlog += frame.length + NEWLINE.length;
    this.#pump ??= this.#run();
    return this.#backlog > this.#options.highWaterBytes ? this.flushed() : Promise.resolve();
  }

  /** Resolves when everything queued so far is written or dropped. */
  flushed(): Promise<void> {
    return this.#pump ?? Promise.resolve();
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const bytes = this.#next();
        await this.#options.write(bytes);
        this.#backlog -= bytes.length;
      }
    } catch (error) {
      this.#failed = true;
      this.#waiting = [];
      this.#backlog = 0;
      this.#options.onFailure(error);
    } finally {
      this.#pump = undefined;
    }
  }

  #next(): Uint8Array {
    let count = 0;
    let size = 0;
    for (const part of this.#waiting) {
      if (count > 0 && size + part.length > JOIN_BYTES) break;
      size += part.length;
      count++;
    }
    const parts = this.#waiting.splice(0, count);
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return only;
    const joined = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }
}
