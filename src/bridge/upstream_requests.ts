/**
 * Requests from upstream to the client, whose ids carry the generation on the client's side: an answer that
 * comes after its generation has died is recognised and dropped instead of reaching the successor.
 */
import type { JsonRpcId } from "../protocol/json_rpc.ts";

interface OpenRequest {
  readonly generation: number;
  readonly originalId: JsonRpcId;
}

export class UpstreamRequests {
  readonly #open = new Map<JsonRpcId, OpenRequest>();

  /** Registers a request; the answer is the id that the client sees. */
  open(generation: number, originalId: JsonRpcId): string {
    const id = stampedId(generation, originalId);
    this.#open.set(id, { generation, originalId });
    return id;
  }

  /** The request that the client's answer with `id` belongs to, if it still waits. It is then closed. */
  close(id: JsonRpcId): OpenRequest | undefined {
    const request = this.#open.get(id);
    this.#open.delete(id);
    return request;
  }

  /** Closes all requests of a lost generation; the answers are their ids on the client's side. */
  abandon(generation: number): JsonRpcId[] {
    const ids = [...this.#open].filter(([, request]) => request.generation === generation).map(([id]) => id);
    for (const id of ids) this.#open.delete(id);
    return ids;
  }
}

/** A string whatever the original is; JSON keeps `1` and `"1"` apart. */
export function stampedId(generation: number, originalId: JsonRpcId): string {
  return `g${generation}:${JSON.stringify(originalId)}`;
}
