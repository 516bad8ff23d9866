/** A WebSocket client by hand: any size of message, and every frame and code as it came. */
import { Buffer } from "node:buffer";
import { isControl, OPCODE, readFrameHeader } from "../../src/cdp/frames.ts";
import { within } from "./until.ts";
import { writeAll } from "../../src/platform/write_all.ts";

export interface ReceivedMessage {
  readonly opcode: number;
  readonly payload: Uint8Array;
}

export interface RawWebSocketOptions {
  readonly hostname?: string;
  readonly headers?: readonly string[];
  /** Certificate of the issuer to trust, for `wss`. */
  readonly caCert?: string;
}

export interface Refused {
  readonly status: number;
  readonly text: string;
}

const WITHIN_MS = 15_000;
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
const ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

export class RawWebSocket implements Disposable {
  readonly socket: Deno.Conn;
  #held: Uint8Array;
  #closed = false;

  private constructor(socket: Deno.Conn, held: Uint8Array) {
    this.socket = socket;
    this.#held = held;
  }

  /** @throws Error when the server refuses */
  static async open(url: string, options: RawWebSocketOptions = {}): Promise<RawWebSocket> {
    const opened = await RawWebSocket.try(url, options);
    if (opened instanceof RawWebSocket) return opened;
    throw new Error(`WebSocket refused: ${opened.status} ${opened.text}`);
  }

  static async try(url: string, options: RawWebSocketOptions = {}): Promise<RawWebSocket | Refused> {
    const { hostname, host, port, pathname, search, protocol } = new URL(url);
    const at = { hostname: options.hostname ?? hostname, port: Number(port) };
    const socket = protocol === "wss:"
      ? await Deno.connectTls({ ...at, caCerts: options.caCert === undefined ? [] : [options.caCert] })
      : await Deno.connect(at);
    const lines = [
      `GET ${pathname}${search} HTTP/1.1`,
      `Host: ${host}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Key: ${KEY}`,
      "Sec-WebSocket-Version: 13",
      ...options.headers ?? [],
    ];
    await writeAll(socket, new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`));
    let text = "";
    const buffer = new Uint8Array(65_536);
    let last = new Uint8Array(0);
    while (!text.includes("\r\n\r\n")) {
      const size = await within("the answer to a handshake", socket.read(buffer), WITHIN_MS);
      if (size === null) break;
      last = buffer.slice(0, size);
      text += new TextDecoder("latin1").decode(last);
    }
    const status = Number(text.split(" ")[1] ?? 0);
    if (status !== 101) {
      for (let size = await socket.read(buffer); size !== null; size = await socket.read(buffer)) {
        text += new TextDecoder("latin1").decode(buffer.subarray(0, size));
      }
      socket.close();
      return { status, text };
    }
    if (!text.includes(ACCEPT)) throw new Error(`Wrong accept: ${text}`);
    const surplus = text.length - text.indexOf("\r\n\r\n") - 4;
    return new RawWebSocket(socket, last.subarray(last.length - surplus));
  }

  async sendText(text: string): Promise<void> {
    await this.send(OPCODE.text, new TextEncoder().encode(text));
  }

  async send(opcode: number, payload: Uint8Array, final = true): Promise<void> {
    await this.sendRaw(clientFrame(opcode, payload, final));
  }

  async sendRaw(bytes: Uint8Array): Promise<void> {
    await writeAll(this.socket, bytes);
  }

  /** Sends a CDP command and gives its result; other messages are passed over. */
  // deno-lint-ignore no-explicit-any
  async command(id: number, method: string, params?: object, sessionId?: string): Promise<any> {
    await this.sendText(
      JSON.stringify({ id, method, params, sessionId }),
    );
    for (;;) {
      const message = JSON.parse(await this.text());
      if (message.id === id) return message;
    }
  }

  async text(): Promise<string> {
    const message = await this.message();
    if (message?.opcode !== OPCODE.text) throw new Error(`Not a text: ${message?.opcode}`);
    return new TextDecoder().decode(message.payload);
  }

  /** The next message or control frame; undefined at the end of the connection. */
  async message(withinMs = WITHIN_MS): Promise<ReceivedMessage | undefined> {
    return await within("a frame", this.#message(), withinMs);
  }

  /** `performance.now()` when the first bytes of the next message are there. */
  async readable(): Promise<number> {
    if (this.#held.length === 0) {
      const more = await within("bytes", this.#read(new Uint8Array(65_536)), WITHIN_MS);
      if (more !== undefined) this.#held = more;
    }
    return performance.now();
  }

  /** The code that the server closes with, 1005 without one, 1006 when it closes without a frame. */
  async closeCode(withinMs = WITHIN_MS): Promise<number> {
    for (;;) {
      const message = await this.message(withinMs);
      if (message === undefined) return 1006;
      if (message.opcode !== OPCODE.close) continue;
      const [high, low] = message.payload;
      return high === undefined || low === undefined ? 1005 : high * 256 + low;
    }
  }

  [Symbol.dispose](): void {
    if (!this.#closed) this.socket.close();
    this.#closed = true;
  }

  async #message(): Promise<ReceivedMessage | undefined> {
    const parts: Uint8Array[] = [];
    let opcode = 0;
    for (;;) {
      let header = readFrameHeader(this.#held);
      while (header === undefined) {
        const more = await this.#read(new Uint8Array(65_536));
        if (more === undefined) return undefined;
        this.#held = new Uint8Array(Buffer.concat([this.#held, more]));
        header = readFrameHeader(this.#held);
      }
      const payload = new Uint8Array(header.payloadLength);
      let filled = Math.min(payload.length, this.#held.length - header.headerLength);
      payload.set(this.#held.subarray(header.headerLength, header.headerLength + filled));
      this.#held = this.#held.slice(header.headerLength + filled);
      while (filled < payload.length) {
        const more = await this.#read(payload.subarray(filled));
        if (more === undefined) return undefined;
        filled += more.length;
      }
      if (isControl(header.opcode)) return { opcode: header.opcode, payload };
      if (header.opcode !== OPCODE.continuation) opcode = header.opcode;
      parts.push(payload);
      if (header.final) {
        return { opcode, payload: parts.length === 1 ? payload : new Uint8Array(Buffer.concat(parts)) };
      }
    }
  }

  async #read(into: Uint8Array): Promise<Uint8Array | undefined> {
    try {
      const size = await this.socket.read(into);
      return size === null ? undefined : into.subarray(0, size);
    } catch {
      return undefined;
    }
  }
}

/** A frame with a mask, as clients send it. */
export function clientFrame(opcode: number, payload: Uint8Array, final = true): Uint8Array {
  const length = payload.length;
  const extended = length > 0xffff ? 8 : length > 125 ? 2 : 0;
  const frame = new Uint8Array(2 + extended + 4 + length);
  const view = new DataView(frame.buffer);
  frame[0] = (final ? 0x80 : 0) | opcode;
  frame[1] = 0x80 | (extended === 8 ? 127 : extended === 2 ? 126 : length);
  if (extended === 2) view.setUint16(2, length);
  if (extended === 8) view.setBigUint64(2, BigInt(length));
  const mask = [0x12, 0x34, 0x56, 0x78];
  frame.set(mask, 2 + extended);
  const start = 6 + extended;
  for (let at = 0; at < length; at++) frame[start + at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return frame;
}
