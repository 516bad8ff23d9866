/**
 * Log lines on standard error, without ever waiting for whoever reads them.
 */
import { FrameWriter } from "../protocol/frame_writer.ts";

/** A client that does not read our standard error loses lines beyond this, never answers. */
const MAX_BACKLOG_BYTES = 1024 * 1024;

export interface LineSink {
  /** Takes one line without its newline. */
  write(line: string): void;
  /** Resolves when every line taken so far is written or dropped. */
  flushed(): Promise<void>;
}

/** @param write writes some of the bytes and tells how many, like `Deno.stderr.write` */
export function createStderrSink(write: (bytes: Uint8Array) => Promise<number>): LineSink {
  const encoder = new TextEncoder();
  const writer = new FrameWriter({
    write: async (bytes) => {
      let at = 0;
      while (at < bytes.length) at += await write(bytes.subarray(at));
    },
    // Nobody is left to tell.
    onFailure: () => {},
    highWaterBytes: MAX_BACKLOG_BYTES,
  });
  return {
    write(line): void {
      if (writer.backlog < MAX_BACKLOG_BYTES) void writer.send(encoder.encode(line));
    },
    flushed: () => writer.flushed(),
  };
}
