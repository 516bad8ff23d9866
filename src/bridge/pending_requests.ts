/**
 * The requests of the client that have no answer yet.
 */
import type { JsonRpcId } from "../protocol/json_rpc.ts";
import type { ClientRequest } from "./client_message.ts";
import { cursorOf } from "./tool_list.ts";

export interface PendingRequest {
  readonly id: JsonRpcId;
  readonly method: string;
  /** Name of the called tool, for `tools/call`. */
  readonly tool: string | undefined;
  readonly cursor: string | undefined;
  /** Milliseconds of a clock that never goes back. */
  readonly since: number;
  /** Number of the generation it was forwarded to; undefined while it waits. */
  generation: number | undefined;
}

/** Somebody who waits for requests to be answered. */
interface Watch {
  readonly done: () => boolean;
  readonly resolve: () => void;
}

export class PendingRequests {
  readonly #requests = new Map<string, PendingRequest>();
  readonly #watches = new Set<Watch>();

  get size(): number {
    return this.#requests.size;
  }

  all(): PendingRequest[] {
    return [...this.#requests.values()];
  }

  /** Those that a generation has been asked. */
  of(generation: number): PendingRequest[] {
    return this.all().filter((request) => request.generation === generation);
  }

  get(id: JsonRpcId): PendingRequest | undefined {
    return this.#requests.get(keyOf(id));
  }

  /** Whether this very request still waits: its id may have been used again since. */
  holds(request: PendingRequest): boolean {
    return this.get(request.id) === request;
  }

  admit({ id, method, params }: ClientRequest, tool: string | undefined): PendingRequest {
    const request: PendingRequest = {
      id,
      method,
      tool,
      cursor: method === "tools/list" ? cursorOf(params) : undefined,
      since: performance.now(),
      generation: undefined,
    };
    this.#requests.set(keyOf(id), request);
    return request;
  }

  settle(request: PendingRequest): void {
    this.#requests.delete(keyOf(request.id));
    for (const watch of this.#watches) {
      if (!watch.done()) continue;
      this.#watches.delete(watch);
      watch.resolve();
    }
  }

  /** Resolves when `done` holds; it is asked again whenever a request is settled. */
  until(done: () => boolean): Promise<void> {
    if (done()) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#watches.add({ done, resolve });
    return promise;
  }
}

/** JSON tells `1` and `"1"` apart, and so must we; `1` and `1.0` are the same number. */
function keyOf(id: JsonRpcId): string {
  return JSON.stringify(id);
}
