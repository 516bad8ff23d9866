/**
 * The client's side of stdio mode: frames in on standard input, frames out on standard output, nothing else.
 */
import { FrameWriter } from "../protocol/frame_writer.ts";
import { readLines } from "../protocol/lines.ts";
import { RPC_CODE } from "../protocol/json_rpc.ts";
import { type ClientPort, errorMessage } from "../bridge/client_port.ts";

/** Answers that a slow client leaves waiting before upstream is made to wait. */
const STDOUT_BACKLOG_BYTES = 4 * 1024 * 1024;

export interface StdioStreams {
  readonly input: ReadableStream<Uint8Array>;
  /** Writes some of the bytes and tells how many, like `Deno.stdout.write`. */
  readonly write: (bytes: Uint8Array) => Promise<number>;
}

export interface StdioClient extends ClientPort {
  /** Hands each message to `take`, in order, until the client closes its output. */
  read(maxMessageBytes: number, take: (bytes: Uint8Array) => Promise<void>): Promise<void>;
  /** Resolves when the client has closed its input: what is sent from then on is dropped. */
  readonly gone: Promise<void>;
  /** Resolves when everything sent so far is written. */
  flushed(): Promise<void>;
}

export function createStdioClient(streams: StdioStreams): StdioClient {
  const gone = Promise.withResolvers<void>();
  const writer = new FrameWriter({
    write: async (bytes) => {
      let at = 0;
      while (at < bytes.length) at += await streams.write(bytes.subarray(at));
    },
    // EPIPE is how a client says goodbye, not a fault.
    onFailure: () => gone.resolve(),
    highWaterBytes: STDOUT_BACKLOG_BYTES,
  });
  return {
    send: (bytes) => writer.send(bytes),
    flushed: () => writer.flushed(),
    gone: gone.promise,
    read: (maxMessageBytes, take) =>
      readLines(
        streams.input,
        maxMessageBytes,
        (line) => line.kind === "line" ? take(line.bytes) : writer.send(tooLong(maxMessageBytes)),
      ),
  };
}

function tooLong(maxMessageBytes: number): Uint8Array {
  return errorMessage(null, {
    code: RPC_CODE.invalidRequest,
    message: `Invalid request: a message is longer than ${maxMessageBytes} bytes; see --max-message-bytes`,
  });
}
