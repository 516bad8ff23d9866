/**
 * Bridges that stand ready: their upstream is loaded and waits for `initialize`, so that a new session starts no
 * process. None has a browser, and none is used twice.
 */
import type { ClientPort } from "../bridge/client_port.ts";
import { messageOf } from "../errors.ts";
import type { Logger } from "../telemetry/log.ts";
import type { NamedBridge } from "./sessions.ts";

export interface WarmSparesOptions {
  readonly count: number;
  readonly open: (client: ClientPort) => Promise<NamedBridge>;
  readonly closeGraceMs: number;
  /** How much memory there is left to take, in bytes. */
  readonly availableMemory: () => Promise<number>;
  readonly log: Logger;
}

/** A session takes as much once its browser runs: memory that is scarcer is for those that are there already. */
const SCARCE_BYTES = 512 * 1024 * 1024;

const LOOK_EVERY_MS = 30_000;

/** Says nothing until somebody is there: a spare's relay has nobody to talk to. */
class LateClient implements ClientPort {
  #target: ClientPort | undefined;

  attach(target: ClientPort): void {
    this.#target = target;
  }

  send(bytes: Uint8Array): Promise<void> {
    return this.#target?.send(bytes) ?? Promise.resolve();
  }
}

interface Spare {
  readonly client: LateClient;
  readonly opened: NamedBridge;
}

export class WarmSpares {
  readonly #options: WarmSparesOptions;
  readonly #ready: Spare[] = [];
  #look: ReturnType<typeof setInterval> | undefined;
  readonly #opening = new Set<Promise<void>>();
  #closed = false;

  constructor(options: WarmSparesOptions) {
    this.#options = options;
    if (options.count === 0) return;
    this.#look = setInterval(() => void this.watchMemory(), LOOK_EVERY_MS);
    Deno.unrefTimer(Number(this.#look));
    this.#fill();
  }

  /** A spare for this client, if one is ready whose upstream still lives; the next one is opened meanwhile. */
  take(client: ClientPort): NamedBridge | undefined {
    if (this.#closed) return undefined;
    for (let spare = this.#ready.shift(); spare !== undefined; spare = this.#ready.shift()) {
      this.#fill();
      if (spare.opened.bridge.relay.supervisor.state === "starting") {
        spare.client.attach(client);
        return spare.opened;
      }
      void spare.opened.bridge.close(0);
    }
    return undefined;
  }

  /** How many stand ready. */
  get ready(): number {
    return this.#ready.length;
  }

  /** How many upstream processes wait in spares. */
  upstreamCount(): number {
    return this.#ready.filter(({ opened }) => opened.bridge.relay.supervisor.pid !== undefined).length;
  }

  /** Gives the spares up while memory is scarce, and replaces them when it no longer is. */
  async watchMemory(): Promise<void> {
    if (!await this.#isScarce()) return this.#fill();
    if (this.#ready.length === 0) return;
    this.#options.log.info("gave up the warm spares: memory is scarce", { count: this.#ready.length });
    await this.#end(this.#ready.splice(0));
  }

  /** Ends all spares. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#look);
    // They stay in the list: a second signal kills what does not end.
    const standing = this.#ready.length;
    await Promise.all([this.#end(this.#ready), ...this.#opening]);
    await this.#end(this.#ready.slice(standing));
  }

  async #end(spares: readonly Spare[]): Promise<void> {
    const { closeGraceMs } = this.#options;
    await Promise.all(spares.map(({ opened }) => opened.bridge.close(closeGraceMs)));
  }

  async #isScarce(): Promise<boolean> {
    return await this.#options.availableMemory() < SCARCE_BYTES;
  }

  /** Kills the upstreams of all spares, for a server that cannot wait for their ends. */
  async kill(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#ready.map(({ opened }) => opened.bridge.relay.supervisor.kill()));
  }

  #fill(): void {
    while (!this.#closed && this.#ready.length + this.#opening.size < this.#options.count) {
      // In one step: a spare that counted twice, or not at all, would be one too few or too many.
      const opening: Promise<void> = this.#open().then((spare) => {
        this.#opening.delete(opening);
        if (spare !== undefined) this.#ready.push(spare);
      });
      this.#opening.add(opening);
    }
  }

  /** Never rejects: the next look tries again. */
  async #open(): Promise<Spare | undefined> {
    const client = new LateClient();
    try {
      if (await this.#isScarce()) return undefined;
      const opened = await this.#options.open(client);
      if (!this.#closed) return { client, opened };
      await opened.bridge.close(0);
    } catch (error) {
      this.#options.log.warn("cannot keep a warm spare", { cause: messageOf(error) });
    }
    return undefined;
  }
}
