/**
 * A small MCP client inside this process, which talks to a bridge as any other client would.
 */
import type { ClientPort } from "../bridge/client_port.ts";
import { encodeMessage, errorMessage } from "../bridge/client_port.ts";
import { type JsonRpcMessage, RPC_CODE } from "../protocol/json_rpc.ts";

/** Takes one message of ours. */
export type Deliver = (bytes: Uint8Array) => Promise<void>;

export class BridgeClient implements ClientPort {
  #deliver: Deliver | undefined;
  #count = 0;
  readonly #waiting = new Map<unknown, (message: JsonRpcMessage) => void>();

  /** Where messages go; the bridge is made with this client, so it comes later. */
  connect(deliver: Deliver): void {
    this.#deliver = deliver;
  }

  send(bytes: Uint8Array): Promise<void> {
    const message: JsonRpcMessage = JSON.parse(new TextDecoder().decode(bytes));
    if (message.method === undefined) {
      this.#waiting.get(message.id)?.(message);
    } else if (message.id !== undefined) {
      const error = { code: RPC_CODE.methodNotFound, message: `Method not found: ${message.method}` };
      void this.#deliver?.(errorMessage(message.id, error));
    }
    return Promise.resolve();
  }

  async notify(method: string): Promise<void> {
    await this.#deliver?.(encodeMessage({ jsonrpc: "2.0", method }));
  }

  /**
   * @returns the result
   * @throws {Error} with the text of an error, or when `signal` is aborted first
   */
  async request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const id = ++this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<JsonRpcMessage>();
    const onAbort = (): void => reject(new Error("was given up, as it took too long"));
    signal.addEventListener("abort", onAbort);
    this.#waiting.set(id, resolve);
    try {
      if (signal.aborted) onAbort();
      await this.#deliver?.(encodeMessage({ jsonrpc: "2.0", id, method, params }));
      const answer = await promise;
      if (answer.error !== undefined) throw new Error(answer.error.message);
      return answer.result;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#waiting.delete(id);
    }
  }
}
