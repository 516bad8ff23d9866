/**
 * One HTTP/1.1 connection that carries request after request, by hand: a client that costs less than the servers
 * that it measures. It reads what they send, JSON or a whole event stream, and nothing else.
 */

import { Buffer } from "node:buffer";

const LINE_END = "\r\n";
const READ_SIZE = 256 * 1024;

export interface Answer {
  readonly status: number;
  /** With names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

export class KeepAliveConnection implements Disposable {
  readonly #connection: Deno.TcpConn;
  readonly #buffer = new Uint8Array(READ_SIZE);
  /** Read, and not yet used. */
  #rest: Uint8Array = new Uint8Array();

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  static async open(port: number): Promise<KeepAliveConnection> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connection.setNoDelay(true);
    return new KeepAliveConnection(connection);
  }

  /**
   * Sends the bytes of a whole request and reads its answer.
   *
   * @throws Error where the server closes the connection, or says that it will
   */
  async exchange(request: Uint8Array): Promise<Answer> {
    for (let sent = 0; sent < request.length;) sent += await this.#connection.write(request.subarray(sent));
    const [statusLine = "", ...lines] = (await this.#head()).split(LINE_END);
    const headers = new Map(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    if (headers.get("connection") === "close") throw new Error("The server does not keep the connection");
    return { status: Number(statusLine.split(" ")[1]), headers, body: await this.#body(headers) };
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }

  async #head(): Promise<string> {
    for (let searched = 0;;) {
      const end = endOfHead(this.#rest, searched);
      if (end >= 0) {
        const head = new TextDecoder().decode(this.#rest.subarray(0, end));
        this.#rest = this.#rest.subarray(end + 4);
        return head;
      }
      searched = Math.max(this.#rest.length - 3, 0);
      await this.#more();
    }
  }

  async #body(headers: ReadonlyMap<string, string>): Promise<Uint8Array> {
    if (headers.get("transfer-encoding") !== "chunked") {
      return await this.#take(Number(headers.get("content-length") ?? 0));
    }
    const chunks: Uint8Array[] = [];
    for (;;) {
      const size = Number.parseInt(await this.#line(), 16);
      const chunk = await this.#take(size);
      await this.#line();
      if (size === 0) return Buffer.concat(chunks);
      chunks.push(chunk);
    }
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(0x0a);
      if (end >= 0) return new TextDecoder().decode(await this.#take(end + 1)).trim();
      await this.#more();
    }
  }

  async #take(size: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let left = size; left > 0;) {
      if (this.#rest.length === 0) await this.#more();
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  async #more(): Promise<void> {
    const count = await this.#connection.read(this.#buffer);
    if (count === null) throw new Error("The server closed the connection");
    const read = this.#buffer.slice(0, count);
    this.#rest = this.#rest.length === 0 ? read : Buffer.concat([this.#rest, read]);
  }
}

/** Where the empty line begins that ends the head; -1 where it has not come. */
function endOfHead(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x0d, from); at >= 0; at = bytes.indexOf(0x0d, at + 1)) {
    if (bytes[at + 1] === 0x0a && bytes[at + 2] === 0x0d && bytes[at + 3] === 0x0a) return at;
  }
  return -1;
}
