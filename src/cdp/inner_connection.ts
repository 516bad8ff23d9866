/**
 * One connection to Chromium's DevTools port. Chromium is asked with requests of our own, to the last byte: nothing
 * that a client has sent reaches it but the target, the page to open and the key of the handshake.
 */

import { type Refusal, refuse, type Verdict } from "./refusals.ts";
import { writeAll } from "../platform/write_all.ts";

const LOOPBACK = "127.0.0.1";

/** Chromium's heads have a few hundred bytes. */
const MAX_HEAD_BYTES = 16_384;
const READ_BYTES = 65_536;

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");

export interface InnerHead {
  readonly status: number;
  /** By name in lower case; of repeated ones the first. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface InnerOptions {
  /** Of Chromium's DevTools on loopback. */
  readonly port: number;
  /** For everything up to `release` or the end. */
  readonly budgetMs: number;
  /** Aborted when the browser is not the one any more that the client was let in for. */
  readonly gone: AbortSignal;
}

/** Why Chromium gave no answer. */
export class InnerFault extends Error {
  override readonly name = "InnerFault";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`Chromium gave no answer: ${refusal.code}`);
    this.refusal = refusal;
  }
}

export class InnerConnection implements Disposable {
  readonly #socket: Deno.TcpConn;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #gone: AbortSignal;
  readonly #onGone: () => void;
  #timedOut = false;
  #released = false;
  #received = new Uint8Array(0);

  private constructor(socket: Deno.TcpConn, budgetMs: number, gone: AbortSignal) {
    this.#socket = socket;
    this.#gone = gone;
    this.#onGone = () => closeQuietly(socket);
    gone.addEventListener("abort", this.#onGone);
    this.#timer = setTimeout(() => {
      this.#timedOut = true;
      closeQuietly(socket);
    }, budgetMs);
  }

  /**
   * @throws InnerFault when there is no connection within the budget
   */
  static async open({ port, budgetMs, gone }: InnerOptions): Promise<InnerConnection> {
    const from = performance.now();
    const connecting = Deno.connect({ hostname: LOOPBACK, port });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const expiry = new Promise<undefined>((resolve) => timer = setTimeout(resolve, budgetMs, undefined));
    try {
      const socket = await Promise.race([connecting, expiry]);
      if (socket !== undefined) {
        socket.setNoDelay(true);
        const connection = new InnerConnection(socket, budgetMs - (performance.now() - from), gone);
        if (gone.aborted) connection.#onGone();
        return connection;
      }
    } catch {
      throw new InnerFault({ code: gone.aborted ? "unavailable" : "bad_gateway" });
    } finally {
      clearTimeout(timer);
    }
    connecting.then(closeQuietly, () => {});
    throw new InnerFault({ code: "gateway_timeout" });
  }

  /** Sends a request without a body. */
  async ask(method: string, path: string, port: number, headers: readonly string[]): Promise<void> {
    const lines = [`${method} ${path} HTTP/1.1`, `Host: ${LOOPBACK}:${port}`, ...headers];
    await this.#guarded(writeAll(this.#socket, encoder.encode(`${lines.join("\r\n")}\r\n\r\n`)));
  }

  async head(): Promise<InnerHead> {
    for (let from = 0;;) {
      const end = endOfHead(this.#received, from);
      if (end > MAX_HEAD_BYTES || (end < 0 && this.#received.length > MAX_HEAD_BYTES)) throw invalid();
      if (end >= 0) {
        const head = parseHead(decoder.decode(this.#received.subarray(0, end)));
        if (head === undefined) throw invalid();
        this.#received = this.#received.slice(end);
        return head;
      }
      from = Math.max(0, this.#received.length - 3);
      if (!await this.#read()) throw invalid();
    }
  }

  /** The body of an answer: as long as its head says, else until Chromium closes. */
  async body(head: InnerHead, maxBytes: number): Promise<Uint8Array> {
    const length = head.headers.get("content-length");
    if (head.headers.has("transfer-encoding") || (length !== undefined && !/^[0-9]{1,15}$/.test(length))) {
      throw invalid();
    }
    const wanted = length === undefined ? undefined : Number(length);
    if (wanted !== undefined && wanted > maxBytes) throw invalid();
    const chunks = [this.#received];
    let size = this.#received.length;
    while (wanted === undefined || size < wanted) {
      this.#received = new Uint8Array(0);
      if (!await this.#read()) {
        if (wanted !== undefined) throw invalid();
        break;
      }
      chunks.push(this.#received);
      size += this.#received.length;
      if (size > maxBytes) throw invalid();
    }
    const body = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      body.set(chunk, at);
      at += chunk.length;
    }
    return wanted === undefined ? body : body.subarray(0, wanted);
  }

  /** Hands the socket over, with what has been received behind the head; from now on nothing bounds or closes it. */
  release(): { readonly socket: Deno.TcpConn; readonly received: Uint8Array } {
    this.#released = true;
    this.#unbind();
    return { socket: this.#socket, received: this.#received };
  }

  [Symbol.dispose](): void {
    if (this.#released) return;
    this.#unbind();
    closeQuietly(this.#socket);
  }

  #unbind(): void {
    clearTimeout(this.#timer);
    this.#gone.removeEventListener("abort", this.#onGone);
  }

  /** Appends what comes next to what has been received. */
  async #read(): Promise<boolean> {
    const buffer = new Uint8Array(READ_BYTES);
    const size = await this.#guarded(this.#socket.read(buffer));
    if (size === null) return false;
    const received = new Uint8Array(this.#received.length + size);
    received.set(this.#received);
    received.set(buffer.subarray(0, size), this.#received.length);
    this.#received = received;
    return true;
  }

  async #guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch {
      if (this.#gone.aborted) throw new InnerFault({ code: "unavailable" });
      throw this.#timedOut ? new InnerFault({ code: "gateway_timeout" }) : invalid();
    }
  }
}

/** Runs `work`; an `InnerFault` becomes the refusal that it stands for. */
export async function orRefusal<T extends object>(work: () => Promise<Verdict<T>>): Promise<Verdict<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InnerFault) return refuse(error.refusal.code, error.refusal);
    throw error;
  }
}

export function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // closed already
  }
}

function invalid(): InnerFault {
  return new InnerFault({ code: "bad_gateway" });
}

/** Index behind the empty line, or -1. */
function endOfHead(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x0d, from); at >= 0; at = bytes.indexOf(0x0d, at + 1)) {
    if (bytes[at + 1] === 0x0a && bytes[at + 2] === 0x0d && bytes[at + 3] === 0x0a) return at + 4;
  }
  return -1;
}

function parseHead(text: string): InnerHead | undefined {
  const [statusLine = "", ...lines] = text.slice(0, -4).split("\r\n");
  const [, status] = /^HTTP\/1\.[01] ([1-5][0-9][0-9])(?: |$)/.exec(statusLine) ?? [];
  if (status === undefined) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) return undefined;
    const name = line.slice(0, colon).toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return { status: Number(status), headers };
}
