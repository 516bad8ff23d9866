/**
 * One generation: an upstream process with its number, from its start to its proven loss.
 *
 * Whatever it delivers is stamped with its number by its owner, so that nothing of a dead generation reaches
 * its successor.
 */
import { settlesWithin } from "../platform/deadline.ts";
import { type Envelope, scanEnvelope } from "../protocol/envelope.ts";
import type { Line } from "../protocol/lines.ts";
import type { JsonRpcMessage } from "../protocol/json_rpc.ts";
import type { Logger } from "../telemetry/log.ts";
import type { UpstreamExit, UpstreamProcess } from "./process.ts";

/** A message from upstream, as it came. */
export interface UpstreamFrame {
  readonly bytes: Uint8Array;
  readonly envelope: Envelope;
}

/** Why a generation is gone: a phrase for the middle of a sentence, and what upstream said last. */
export interface Loss {
  readonly reason: string;
  readonly lastWords: string;
  /** Set where the session ends with it, so that nothing is started again. */
  readonly final?: true;
}

export interface GenerationOptions {
  readonly number: number;
  readonly process: UpstreamProcess;
  /** Starts every id of the bridge's own requests; random, so that no id of a client equals one. */
  readonly ownIdPrefix: string;
  readonly log: Logger;
  /** Takes each frame that is not an answer to the bridge. Reading goes on when it resolves. */
  readonly onFrame: (generation: Generation, frame: UpstreamFrame) => Promise<void>;
}

/** After the process has ended, how long what it wrote last may take to arrive. */
const LAST_OUTPUT_MS = 1000;

export class Generation {
  readonly number: number;
  readonly process: UpstreamProcess;
  /** Resolves when the process has ended and everything it wrote was delivered. */
  readonly lost: Promise<Loss>;
  readonly #options: GenerationOptions;
  readonly #own = new Map<string, (answer: JsonRpcMessage | undefined) => void>();
  #ownCount = 0;
  #delivering = false;
  #fault: string | undefined;

  constructor(options: GenerationOptions) {
    this.#options = options;
    this.number = options.number;
    this.process = options.process;
    this.lost = this.#watch();
  }

  send(bytes: Uint8Array): Promise<void> {
    return this.process.send(bytes);
  }

  /** A notification of the bridge's own. */
  notify(method: string, params?: unknown): Promise<void> {
    return this.send(encode({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }));
  }

  /**
   * A request of the bridge's own.
   *
   * @returns upstream's answer, result or error; undefined when it is lost or silent for `timeoutMs`
   */
  async request(method: string, params: unknown, timeoutMs: number): Promise<JsonRpcMessage | undefined> {
    const id = `${this.#options.ownIdPrefix}${++this.#ownCount}`;
    const { promise, resolve } = Promise.withResolvers<JsonRpcMessage | undefined>();
    this.#own.set(id, resolve);
    try {
      this.send(encode({ jsonrpc: "2.0", id, method, params }));
      return await settlesWithin(promise, timeoutMs) ? await promise : undefined;
    } finally {
      this.#own.delete(id);
    }
  }

  async #watch(): Promise<Loss> {
    const reading = this.#read();
    const exit = await Promise.race([this.process.exited, reading.then(() => this.#exitAfterOutput())]);
    while (!await settlesWithin(reading, LAST_OUTPUT_MS) && this.#delivering);
    for (const settle of this.#own.values()) settle(undefined);
    return { reason: this.#fault ?? describeExit(exit), lastWords: this.process.lastWords() };
  }

  /** A child that closed its output can serve nobody, even if it does not end by itself. */
  async #exitAfterOutput(): Promise<UpstreamExit> {
    if (!await settlesWithin(this.process.exited, LAST_OUTPUT_MS)) await this.process.kill();
    return await this.process.exited;
  }

  async #read(): Promise<void> {
    try {
      await this.process.readOutput((line) => this.#take(line));
    } catch (error) {
      this.#options.log.debug("upstream output ended", { cause: String(error) });
    }
  }

  async #take(line: Line): Promise<boolean> {
    if (line.kind === "too_long") {
      this.#fault = "was stopped because it sent a message over the limit of --max-message-bytes";
      void this.process.kill();
      return false;
    }
    const { bytes } = line;
    const envelope = scanEnvelope(bytes);
    if (envelope === undefined) {
      this.#options.log.warn("skipped a line of the upstream's output that is not JSON-RPC", {
        bytes: bytes.length,
      });
    } else if (!this.#settleOwn(envelope, bytes)) {
      this.#delivering = true;
      await this.#options.onFrame(this, { bytes, envelope });
      this.#delivering = false;
    }
    return true;
  }

  #settleOwn(envelope: Envelope, bytes: Uint8Array): boolean {
    if (envelope.kind !== "response" || typeof envelope.id !== "string") return false;
    if (!envelope.id.startsWith(this.#options.ownIdPrefix)) return false;
    this.#own.get(envelope.id)?.(JSON.parse(new TextDecoder().decode(bytes)));
    return true;
  }
}

function describeExit(exit: UpstreamExit): string {
  return exit.signal === null ? `ended with exit code ${exit.code}` : `was ended by ${exit.signal}`;
}

function encode(message: JsonRpcMessage): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}
