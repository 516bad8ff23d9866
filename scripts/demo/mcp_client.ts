/**
 * The smallest MCP client that can do something: one request after the other over the pipes of a server.
 */

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
}

export interface InitializeResult {
  readonly serverInfo: { readonly name: string; readonly version: string };
}

interface Message {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export class McpClient implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #messages: AsyncGenerator<Message>;
  #lastId = 0;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#input = child.stdin.getWriter();
    this.#messages = readMessages(child.stdout);
  }

  /** Starts a server whose log goes to this terminal. */
  static start(command: string, args: readonly string[], env: Readonly<Record<string, string>>): McpClient {
    return new McpClient(
      new Deno.Command(command, { args: [...args], env, stdin: "piped", stdout: "piped", stderr: "inherit" })
        .spawn(),
    );
  }

  async initialize(): Promise<InitializeResult> {
    const result = await this.#request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "cloakbrowser-mcp demo", version: "0" },
    });
    await this.#send({ method: "notifications/initialized" });
    return result as InitializeResult;
  }

  async listTools(): Promise<readonly unknown[]> {
    return (await this.#request("tools/list", {}) as { tools: unknown[] }).tools;
  }

  /** @throws {Error} With the text of the result when the tool failed. */
  async callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
    const result = await this.#request("tools/call", { name, arguments: args }) as ToolResult;
    if (result.isError) throw new Error(`${name}: ${result.content.map(({ text }) => text).join("\n")}`);
    return result;
  }

  /**
   * Ends the conversation as clients do, and waits for the server.
   *
   * @throws {Error} When the server ends with another status than 0.
   */
  async close(): Promise<void> {
    await this.#input.close();
    const { code } = await this.#child.status;
    if (code !== 0) throw new Error(`The server ended with status ${code}`);
  }

  /** Leaves no server behind when something failed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {}); // closed before, or the server is gone
    await this.#child.status;
  }

  async #request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    await this.#send({ id, method, params });
    for (;;) {
      const { value, done } = await this.#messages.next();
      if (done) throw new Error(`The server ended before it answered "${method}"`);
      if (value.id !== id) continue;
      if (value.error !== undefined) throw new Error(`${method}: ${value.error.message}`);
      return value.result;
    }
  }

  async #send(message: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#input.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  }
}

async function* readMessages(output: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Message> {
  let rest = "";
  for await (const text of output.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}
