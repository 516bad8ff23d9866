/**
 * One session on standard input and output, from the first byte to the last process.
 */
import { type AppError, messageOf } from "../errors.ts";
import { settlesWithin } from "../platform/deadline.ts";
import type { Bridge } from "../bridge/bridge.ts";
import type { Logger } from "../telemetry/log.ts";
import type { StdioClient } from "./client.ts";

export interface ServeOptions {
  readonly client: StdioClient;
  readonly bridge: Bridge;
  readonly log: Logger;
  readonly maxMessageBytes: number;
  /** Resolves with the first signal that asks to end. */
  readonly asked: Promise<string>;
  readonly drainTimeoutMs: number;
  readonly shutdownGraceMs: number;
}

/** What a browser gets to close in order even where draining has used up the grace. */
const MIN_CLOSE_MS = 1500;

/** What a close may take beyond its grace (reading the process list, killing groups) before it is given up. */
const BACKSTOP_MS = 3000;

/** How long the last answers may take to leave when the client does not read. */
const FLUSH_MS = 500;

/**
 * Serves until the client or the operator ends it; resolves when nothing is left running.
 *
 * @returns why the session could not work, where it could not
 */
export async function serve(options: ServeOptions): Promise<AppError | undefined> {
  const { client, bridge, log } = options;
  const { relay } = bridge;
  const input = client.read(options.maxMessageBytes, (bytes) => relay.fromClient(bytes)).then(
    () => "end of input",
    (error: unknown) => `input failed: ${messageOf(error)}`,
  );
  let fault: AppError | undefined;
  const reason = await Promise.race([
    bridge.unusable.then((error) => {
      fault = error;
      return "unusable settings";
    }),
    input,
    client.gone.then(() => "the client closed its input"),
    options.asked.then((signal) => `got ${signal}`),
  ]);
  log.info("ending", { reason });
  const endingSince = performance.now();
  // Only a client that closed its output alone can still hear answers; a signal means now.
  if (reason === "end of input") {
    await Promise.race([settlesWithin(relay.drain(), options.drainTimeoutMs), client.gone, options.asked]);
  }
  // One budget for both: whoever waits for our end has been told a single number.
  const left = options.shutdownGraceMs - (performance.now() - endingSince);
  const graceMs = Math.max(left, Math.min(MIN_CLOSE_MS, options.shutdownGraceMs));
  const closing = bridge.close(graceMs);
  if (!await settlesWithin(closing, graceMs + BACKSTOP_MS)) {
    log.error("the upstream did not end in time and is killed");
    await settlesWithin(relay.supervisor.kill(), BACKSTOP_MS);
    // What it has left goes now, or with the next start.
    await settlesWithin(closing, BACKSTOP_MS);
  }
  await settlesWithin(client.flushed(), FLUSH_MS);
  return fault;
}
