/** HTTP/1.1 by hand, for requests that no client library would send, and for watching bytes as they come. */
import { until, within } from "./until.ts";

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const WITHIN_MS = 10_000;

export class RawConnection implements Disposable {
  /** Everything received, as text. */
  received = "";
  /** `performance.now()` of each piece received. */
  readonly arrivals: number[] = [];
  readonly #connection: Deno.TcpConn;
  readonly #reading: Promise<void>;
  #ended = false;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
    this.#reading = this.#read();
  }

  static async open(port: number): Promise<RawConnection> {
    return new RawConnection(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  async write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    for (let sent = 0; sent < bytes.length;) sent += await this.#connection.write(bytes.subarray(sent));
  }

  /** Waits until what has been received matches. */
  async until(pattern: RegExp, withinMs = WITHIN_MS): Promise<RegExpExecArray> {
    return await until(`${pattern} on the socket`, () => pattern.exec(this.received), withinMs);
  }

  /** Waits until the server closes the connection. */
  async closed(withinMs = WITHIN_MS): Promise<void> {
    await within("end of the connection", this.#reading, withinMs);
  }

  [Symbol.dispose](): void {
    if (!this.#ended) this.#connection.close();
    this.#ended = true;
  }

  async #read(): Promise<void> {
    const buffer = new Uint8Array(65_536);
    const decoder = new TextDecoder();
    try {
      for (
        let size = await this.#connection.read(buffer);
        size !== null;
        size = await this.#connection.read(buffer)
      ) {
        this.arrivals.push(performance.now());
        this.received += decoder.decode(buffer.subarray(0, size), { stream: true });
      }
    } catch {
      // reset by the server, or closed by us
    }
  }
}

/** Sends a request as it stands, but with `Connection: close`, and reads the whole response. */
export async function rawRequest(
  port: number,
  requestLine: string,
  headers: readonly string[],
  body = "",
): Promise<RawResponse> {
  using connection = await RawConnection.open(port);
  const length = body === "" ? [] : [`Content-Length: ${new TextEncoder().encode(body).length}`];
  const head = [`${requestLine} HTTP/1.1`, ...headers, ...length, "Connection: close"];
  await connection.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  await connection.closed();
  return parseResponse(connection.received);
}

export function parseResponse(text: string): RawResponse {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return { status: Number(statusLine.split(" ")[1]), headers, body: text.slice(end + 4) };
}
