/** A listener whose queue is full: the kernel lets further connections wait without an answer. */
import { connect, type Socket } from "node:net";
import { until } from "../harness/until.ts";

const QUEUE = 1;

export class DeafListener implements Disposable {
  readonly port: number;
  readonly #listener: Deno.TcpListener;
  readonly #waiting: Socket[];

  private constructor(listener: Deno.TcpListener, waiting: Socket[]) {
    this.#listener = listener;
    this.#waiting = waiting;
    this.port = listener.addr.port;
  }

  static async open(): Promise<DeafListener> {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: QUEUE });
    let connected = 0;
    // Linux queues one connection more than it was asked for.
    const waiting = Array.from({ length: QUEUE + 1 }, () => {
      const socket = connect(listener.addr.port, "127.0.0.1", () => connected++);
      socket.on("error", () => {});
      return socket;
    });
    await until("the queue is full", () => connected === waiting.length, 5000);
    return new DeafListener(listener, waiting);
  }

  [Symbol.dispose](): void {
    for (const socket of this.#waiting) socket.destroy();
    this.#listener.close();
  }
}
