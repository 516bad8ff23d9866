/**
 * A stdio MCP server with everything that the server scenarios of `@modelcontextprotocol/conformance` look for. It
 * knows nothing of HTTP: whatever of that the scenarios test is the product's.
 *
 * Run with `deno run upstream.ts`.
 */
import { LineSplitter } from "../harness/line_splitter.ts";
import { promptMessages, PROMPTS } from "./prompts.ts";
import { readResource, RESOURCE_TEMPLATES, RESOURCES } from "./resources.ts";
import { callTool, TOOLS } from "./tools.ts";
import { type Client, InvalidParams, type Json } from "./client.ts";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

class Server implements Client {
  readonly #asked = new Map<number, PromiseWithResolvers<Json>>();
  #nextId = 1;
  #logLevel = "debug";
  #written: Promise<unknown> = Promise.resolve();

  async serve(): Promise<void> {
    const splitter = new LineSplitter();
    const decoder = new TextDecoder();
    for await (const chunk of Deno.stdin.readable) {
      for (const line of splitter.push(chunk)) void this.#take(JSON.parse(decoder.decode(line)));
    }
  }

  notify(method: string, params: Json): void {
    this.#send({ method, params });
  }

  log(level: string, data: string): void {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(this.#logLevel)) return;
    this.notify("notifications/message", { level, logger: "conformance", data });
  }

  async ask(method: string, params: Json): Promise<Json> {
    const id = this.#nextId++;
    const answer = Promise.withResolvers<Json>();
    this.#asked.set(id, answer);
    this.#send({ id, method, params });
    return await answer.promise;
  }

  async #take(message: Json): Promise<void> {
    const { id, method, params = {}, result, error } = message as {
      id?: number | string;
      method?: string;
      params?: Json;
      result?: Json;
      error?: { message: string };
    };
    if (method === undefined) {
      const asked = this.#asked.get(Number(id));
      this.#asked.delete(Number(id));
      if (error === undefined) asked?.resolve(result ?? {});
      else asked?.reject(new Error(error.message));
      return;
    }
    if (id === undefined) return;
    try {
      this.#send({ id, result: await this.#answer(method, params) });
    } catch (fault) {
      const code = fault instanceof InvalidParams ? -32602 : -32603;
      this.#send({ id, error: { code, message: fault instanceof Error ? fault.message : String(fault) } });
    }
  }

  #answer(method: string, params: Json): Json | Promise<Json> {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: params["protocolVersion"],
          capabilities: {
            tools: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
            prompts: { listChanged: true },
            completions: {},
            logging: {},
          },
          serverInfo: { name: "conformance-upstream", version: "1.0.0" },
        };
      case "logging/setLevel":
        this.#logLevel = String(params["level"]);
        return {};
      case "ping":
      case "resources/subscribe":
      case "resources/unsubscribe":
        return {};
      case "tools/list":
        return { tools: TOOLS };
      case "tools/call":
        return callTool(params, this);
      case "resources/list":
        return { resources: RESOURCES };
      case "resources/templates/list":
        return { resourceTemplates: RESOURCE_TEMPLATES };
      case "resources/read":
        return readResource(String(params["uri"]));
      case "prompts/list":
        return { prompts: PROMPTS };
      case "prompts/get":
        return { messages: promptMessages(params) };
      case "completion/complete":
        return { completion: { values: ["paris", "park", "party"], total: 3, hasMore: false } };
      default:
        throw new InvalidParams(`Unknown method "${method}"`);
    }
  }

  /** One message a line, in the order in which they are sent. */
  #send(message: Json): void {
    const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
    this.#written = this.#written.then(async () => {
      for (let sent = 0; sent < bytes.length;) sent += await Deno.stdout.write(bytes.subarray(sent));
    });
  }
}

await new Server().serve();
