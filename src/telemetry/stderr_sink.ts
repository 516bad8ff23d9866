/**
 * Log lines on standard error, without ever waiting for whoever reads them.
 */

/** A client that does not read our standard error loses lines beyond this, never answers. */
const MAX_BACKLOG_CHARS = 1024 * 1024;

export interface LineSink {
  /** Takes one line without its newline. */
  write(line: string): void;
  /** Resolves when every line taken so far is written or dropped. */
  flushed(): Promise<void>;
}

/**
 * Lines that come while others are being written leave together.
 *
 * @param write writes some of the bytes and tells how many, like `Deno.stderr.write`
 */
export function createStderrSink(write: (bytes: Uint8Array) => Promise<number>): LineSink {
  const encoder = new TextEncoder();
  let gathered = "";
  let writing: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    try {
      while (gathered !== "") {
        const bytes = encoder.encode(gathered);
        gathered = "";
        for (let at = 0; at < bytes.length;) at += await write(bytes.subarray(at));
      }
    } catch {
      // Nobody is left to tell.
      gathered = "";
    }
    writing = undefined;
  };
  return {
    write(line): void {
      if (gathered.length + line.length > MAX_BACKLOG_CHARS) return;
      gathered += `${line}\n`;
      writing ??= writeAll();
    },
    flushed: () => writing ?? Promise.resolve(),
  };
}
