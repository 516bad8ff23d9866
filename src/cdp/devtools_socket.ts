/**
 * A DevTools connection of our own to the browser: few and small messages, so the runtime's WebSocket serves.
 * Protocol: https://chromedevtools.github.io/devtools-protocol/, flat sessions.
 */
import { messageOf } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../protocol/json_rpc.ts";

export interface DevToolsEvent {
  readonly method: string;
  readonly params: JsonObject;
  readonly sessionId: string | undefined;
}

interface Waiting {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

export class DevToolsSocket {
  /** Resolves when the connection is gone: the browser has ended, or we have closed it. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(event: DevToolsEvent) => void>();
  #count = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.onmessage = ({ data }) => this.#take(String(data));
    // An error is followed by a close.
    socket.onerror = () => {};
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the browser closed the connection"));
      this.#waiting.clear();
      resolve();
    };
  }

  /**
   * @param url of a browser's or a page's WebSocket, on loopback
   * @param signal ends the attempt
   */
  static async connect(url: string, signal: AbortSignal): Promise<DevToolsSocket> {
    signal.throwIfAborted();
    const socket = new WebSocket(url);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abandon = (): void => reject(signal.reason);
    signal.addEventListener("abort", abandon, { once: true });
    socket.onopen = () => resolve();
    socket.onerror = (event) =>
      reject(new Error(`cannot connect: ${messageOf((event as ErrorEvent).error ?? "refused")}`));
    try {
      await promise;
      return new DevToolsSocket(socket);
    } catch (error) {
      socket.onopen = () => socket.close();
      socket.onerror = () => {};
      if (socket.readyState === WebSocket.OPEN) socket.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", abandon);
    }
  }

  /** Rejects with the browser's own error text. */
  request(method: string, params: JsonObject, sessionId?: string): Promise<JsonObject> {
    if (this.#socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error("the connection to the browser is closed"));
    }
    const id = ++this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    this.#waiting.set(id, { resolve, reject });
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return promise;
  }

  /** Hears every event until it is disposed of. */
  listen(listener: (event: DevToolsEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  close(): void {
    this.#socket.close();
  }

  #take(text: string): void {
    const message: unknown = JSON.parse(text);
    if (!isJsonObject(message)) return;
    if (typeof message.method === "string") {
      const event = {
        method: message.method,
        params: isJsonObject(message.params) ? message.params : {},
        sessionId: typeof message.sessionId === "string" ? message.sessionId : undefined,
      };
      for (const listener of [...this.#listeners]) listener(event);
      return;
    }
    const waiting = this.#waiting.get(Number(message.id));
    this.#waiting.delete(Number(message.id));
    if (isJsonObject(message.error)) waiting?.reject(new Error(String(message.error.message)));
    else waiting?.resolve(isJsonObject(message.result) ? message.result : {});
  }
}
