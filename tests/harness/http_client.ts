/**
 * A raw client of the MCP endpoint: what goes over HTTP is what a test sees, and it can misbehave in every way a
 * client can.
 */
import { EventReader, type ServerEvent } from "./event_reader.ts";
import { Inbox, type Message } from "./json_rpc_inbox.ts";
import { CLIENT_PROTOCOL_VERSION } from "./stdio_client.ts";
import { within } from "./until.ts";

export type { Message };

export interface HttpClientOptions {
  readonly url: string;
  /** Owner of the connections. */
  readonly http: Deno.HttpClient;
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Everything that a POST with a request brought. */
export interface Exchange {
  readonly response: Response;
  /** Whether the answer came as an event stream. */
  readonly streamed: boolean;
  readonly events: readonly ServerEvent[];
  readonly messages: readonly Message[];
  /** The last message, which answers the request. */
  readonly answer: Message;
}

interface RequestOptions {
  readonly id?: number | string;
  readonly withinMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Generous for a loaded machine; a test of a bound names its own. */
const DEFAULT_WITHIN_MS = 20_000;

const encoder = new TextEncoder();

export class HttpClient {
  /** Messages of all streams, in the order of their arrival. */
  readonly inbox = new Inbox();
  sessionId: string | undefined;
  readonly #options: HttpClientOptions;
  #nextId = 1;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  /** One HTTP request to the endpoint, with the session's id unless the test says otherwise. */
  fetch(
    method: string,
    init: RequestInit & { headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Response> {
    const session: Record<string, string> = this.sessionId === undefined
      ? {}
      : { "Mcp-Session-Id": this.sessionId };
    return fetch(this.#options.url, {
      client: this.#options.http,
      method,
      ...init,
      headers: {
        Accept: method === "POST" ? "application/json, text/event-stream" : "text/event-stream",
        ...(method === "POST" ? { "Content-Type": "application/json" } : {}),
        ...session,
        ...this.#options.headers,
        ...init.headers,
      },
    });
  }

  post(
    message: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const body = typeof message === "string" ? message : JSON.stringify(message);
    return this.fetch("POST", { body, headers });
  }

  /** Posts a request and reads whatever comes until the end of the response. */
  async exchange(method: string, params?: unknown, options: RequestOptions = {}): Promise<Exchange> {
    const id = options.id ?? this.#nextId++;
    const message = { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
    return await within(method, this.#exchange(message, options), options.withinMs ?? DEFAULT_WITHIN_MS);
  }

  /** Posts a request and resolves with its answer, error or not. */
  async request(method: string, params?: unknown, options: RequestOptions = {}): Promise<Message> {
    return (await this.exchange(method, params, options)).answer;
  }

  callTool(
    name: string,
    args: unknown = {},
    options: RequestOptions & { readonly meta?: unknown } = {},
  ): Promise<Message> {
    const meta = options.meta === undefined ? {} : { _meta: options.meta };
    return this.request("tools/call", { name, arguments: args, ...meta }, options);
  }

  /** Posts what has no answer: a notification, or the answer to a request of the server. */
  async tell(message: Message): Promise<void> {
    const response = await this.post({ jsonrpc: "2.0", ...message });
    const text = await response.text();
    if (response.status !== 202) throw new Error(`${message.method ?? "answer"}: ${response.status} ${text}`);
  }

  /** The handshake of a client that offers everything. Resolves with the answer to `initialize`. */
  async initialize(params: Readonly<Record<string, unknown>> = {}): Promise<Message> {
    const { response, answer } = await this.exchange("initialize", initializeParams(params));
    this.sessionId = response.headers.get("mcp-session-id") ?? undefined;
    if (answer.result !== undefined) await this.tell({ method: "notifications/initialized" });
    return answer;
  }

  /** Opens a GET stream. */
  async listen(lastEventId?: string): Promise<EventReader> {
    const response = await this.fetch("GET", {
      headers: lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId },
    });
    if (response.status !== 200) throw new Error(`GET: ${response.status} ${await response.text()}`);
    return new EventReader(response);
  }

  /** Ends the session; resolves with the status. */
  async end(): Promise<number> {
    const response = await this.fetch("DELETE");
    await response.body?.cancel();
    return response.status;
  }

  /** The next message on the stream of any exchange that has this method. */
  async incoming(method: string, from = 0): Promise<Message> {
    const wanted = this.inbox.next((message) => message.method === method, from);
    return (await within(method, wanted, DEFAULT_WITHIN_MS)).message;
  }

  async #exchange(message: Message, options: RequestOptions): Promise<Exchange> {
    const response = await this.post(message, options.headers);
    const streamed = response.headers.get("content-type") === "text/event-stream";
    const events: ServerEvent[] = [];
    const messages: Message[] = [];
    const take = (text: string): void => {
      this.inbox.add(encoder.encode(text));
      messages.push(JSON.parse(text));
    };
    if (streamed) {
      for (const event of await new EventReader(response).rest()) {
        events.push(event);
        take(event.data);
      }
    } else {
      take(await response.text());
    }
    return { response, streamed, events, messages, answer: messages.at(-1) };
  }
}

export function initializeParams(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    protocolVersion: CLIENT_PROTOCOL_VERSION,
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
    clientInfo: { name: "raw-test-client", version: "1.0.0" },
    ...more,
  };
}
