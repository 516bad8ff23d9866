/** One MCP session on several connections, each of which carries one request at a time. */
import { CLIENT_PROTOCOL_VERSION, type Message } from "../harness/stdio_client.ts";
import { type Answer, KeepAliveConnection } from "./keep_alive_connection.ts";

const PATH = "/mcp";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class McpConnections implements Disposable {
  readonly #port: number;
  readonly #connections: readonly KeepAliveConnection[];
  #sessionId: string | undefined;
  #nextId = 1;

  private constructor(port: number, connections: readonly KeepAliveConnection[]) {
    this.#port = port;
    this.#connections = connections;
  }

  /** A client without a session. */
  static async connect(port: number, count = 1): Promise<McpConnections> {
    const connections = Array.from({ length: count }, () => KeepAliveConnection.open(port));
    return new McpConnections(port, await Promise.all(connections));
  }

  get count(): number {
    return this.#connections.length;
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "bench", version: "1" };
    const params = { protocolVersion: CLIENT_PROTOCOL_VERSION, capabilities: {}, clientInfo };
    const { headers } = await this.#post({ id: this.#nextId++, method: "initialize", params });
    this.#sessionId = headers.get("mcp-session-id");
    if (this.#sessionId === undefined) throw new Error("The server keeps no sessions");
    await this.#post({ method: "notifications/initialized" });
  }

  /**
   * Sends a request on one of the connections, on which no other may be running.
   *
   * @throws Error where the answer is an error
   */
  async request(method: string, params: unknown, connection = 0): Promise<Message> {
    const { body } = await this.exchange(method, params, connection);
    return resultOf(body);
  }

  /** As `request`, without a look into the answer: reading it is no part of what the server does. */
  exchange(method: string, params: unknown, connection = 0): Promise<Answer> {
    return this.#post({ id: this.#nextId++, method, params }, connection);
  }

  [Symbol.dispose](): void {
    for (const connection of this.#connections) connection[Symbol.dispose]();
  }

  async #post(message: Message, connection = 0): Promise<Answer> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const head = [
      `POST ${PATH} HTTP/1.1`,
      `Host: 127.0.0.1:${this.#port}`,
      "Content-Type: application/json",
      "Accept: application/json, text/event-stream",
      `Content-Length: ${encoder.encode(body).length}`,
      ...(this.#sessionId === undefined ? [] : [
        `Mcp-Session-Id: ${this.#sessionId}`,
        `Mcp-Protocol-Version: ${CLIENT_PROTOCOL_VERSION}`,
      ]),
    ];
    const request = encoder.encode(`${head.join("\r\n")}\r\n\r\n${body}`);
    const answer = await this.#connections[connection]?.exchange(request);
    if (answer?.status !== 200 && answer?.status !== 202) {
      throw new Error(`${message.method}: ${answer?.status} ${decoder.decode(answer?.body)}`);
    }
    return answer;
  }
}

/** The result in a body that is JSON, or an event stream whose last event with data is the answer. */
export function resultOf(body: Uint8Array): Message {
  const text = decoder.decode(body);
  const json = text.startsWith("{") ? text : text.slice(text.lastIndexOf("data: {") + "data: ".length);
  const answer: Message = JSON.parse(json);
  if (answer.result === undefined) throw new Error(`No result but ${json.slice(0, 500)}`);
  return answer.result;
}
