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
  readonly log: Logger;
}

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
  #opening = 0;
  #closed = false;

  constructor(options: WarmSparesOptions) {
    this.#options = options;
    this.#fill();
  }

  /** A spare for this client, if one is ready whose upstream still lives; the next one is opened meanwhile. */
  take(client: ClientPort): NamedBridge | undefined {
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

  /** How many upstream processes wait in spares. */
  upstreamCount(): number {
    return this.#ready.filter(({ opened }) => opened.bridge.relay.supervisor.pid !== undefined).length;
  }

  /** Ends all spares. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      this.#ready.splice(0).map(({ opened }) => opened.bridge.close(this.#options.closeGraceMs)),
    );
  }

  #fill(): void {
    while (!this.#closed && this.#ready.length + this.#opening < this.#options.count) {
      this.#opening++;
      void this.#open().finally(() => this.#opening--);
    }
  }

  async #open(): Promise<void> {
    const client = new LateClient();
    try {
      const opened = await this.#options.open(client);
      if (this.#closed) await opened.bridge.close(0);
      else this.#ready.push({ client, opened });
    } catch (error) {
      this.#options.log.warn("cannot keep a warm spare", { cause: messageOf(error) });
    }
  }
}
