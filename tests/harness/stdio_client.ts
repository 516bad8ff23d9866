/**
 * A raw JSON-RPC client on the pipes of a process that it starts. No SDK: what crosses the pipes is what a test
 * sees, and it can misbehave in every way a client can.
 */
import { Inbox, type Message, type ReceivedLine } from "./json_rpc_inbox.ts";
import { LineSplitter } from "./line_splitter.ts";
import { until, within } from "./until.ts";

export type { Message, ReceivedLine };

export interface StdioClientOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Generous for a loaded machine; a test of a bound names its own. */
const DEFAULT_WITHIN_MS = 15_000;

export const CLIENT_PROTOCOL_VERSION = "2025-11-25";

export class StdioClient {
  readonly inbox = new Inbox();
  readonly pid: number;
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #stdout: ReadableStreamDefaultReader<Uint8Array>;
  readonly #stderr: ReadableStreamDefaultReader<Uint8Array>;
  readonly #reading: Promise<unknown>;
  #stderrText = "";
  #gate: Promise<void> = Promise.resolve();
  #openGate = (): void => {};
  #bytesPerSecond = Infinity;
  #nextId = 1;
  #status: Deno.CommandStatus | undefined;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.pid = child.pid;
    this.#stdin = child.stdin.getWriter();
    this.#stdout = child.stdout.getReader();
    this.#stderr = child.stderr.getReader();
    child.status.then((status) => this.#status = status);
    this.#reading = Promise.allSettled([this.#readStdout(), this.#readStderr()]);
  }

  static start(options: StdioClientOptions): StdioClient {
    const child = new Deno.Command(options.command, {
      args: [...options.args],
      env: { ...options.env },
      clearEnv: true,
      cwd: options.cwd,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    return new StdioClient(child);
  }

  get stderrText(): string {
    return this.#stderrText;
  }

  /** Undefined while the process runs. */
  get status(): Deno.CommandStatus | undefined {
    return this.#status;
  }

  newId(): number {
    return this.#nextId++;
  }

  /** Writes one message as a line. */
  send(message: unknown): Promise<void> {
    return this.writeRaw(JSON.stringify(message) + "\n");
  }

  writeRaw(data: string | Uint8Array): Promise<void> {
    return this.#stdin.write(typeof data === "string" ? new TextEncoder().encode(data) : data);
  }

  /** Writes each byte with a system call of its own. */
  async writeByteWise(text: string): Promise<void> {
    for (const byte of new TextEncoder().encode(text)) await this.#stdin.write(new Uint8Array([byte]));
  }

  notify(method: string, params?: unknown): Promise<void> {
    return this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  /** Sends a request and resolves with the whole answer, error or not. */
  async request(
    method: string,
    params?: unknown,
    options: { id?: number | string; withinMs?: number } = {},
  ): Promise<Message> {
    const id = options.id ?? this.newId();
    const from = this.inbox.lines.length;
    const answer = this.answerTo(id, { withinMs: options.withinMs, from, what: method });
    answer.catch(() => {}); // reported below, also when writing fails first
    await this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return await answer;
  }

  callTool(
    name: string,
    args: unknown = {},
    options: { id?: number | string; withinMs?: number; meta?: unknown } = {},
  ): Promise<Message> {
    const meta = options.meta === undefined ? {} : { _meta: options.meta };
    return this.request("tools/call", { name, arguments: args, ...meta }, options);
  }

  /** The handshake of a client that offers everything. Resolves with the answer to `initialize`. */
  async initialize(params: Record<string, unknown> = {}): Promise<Message> {
    const answer = await this.request("initialize", {
      protocolVersion: CLIENT_PROTOCOL_VERSION,
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
      clientInfo: { name: "raw-test-client", version: "1.0.0" },
      ...params,
    });
    await this.notify("notifications/initialized");
    return answer;
  }

  /** The answer to a request, matched by value and type of the id. */
  async answerTo(
    id: number | string | null,
    options: { withinMs?: number | undefined; from?: number; what?: string } = {},
  ): Promise<Message> {
    const wanted = (message: Message): boolean => message.id === id && message.method === undefined;
    const what = `answer ${JSON.stringify(id)} ${options.what ?? ""}`;
    return (await this.next(wanted, { what, ...options })).message;
  }

  /** The next request or notification from the other side with this method. */
  async incoming(method: string, options: { withinMs?: number; from?: number } = {}): Promise<Message> {
    return (await this.next((message) => message.method === method, { what: method, ...options })).message;
  }

  /** @throws Error naming `what` when it does not come in time, or the process closes its stdout before */
  async next(
    wanted: (message: Message) => boolean,
    options: { withinMs?: number | undefined; from?: number; what?: string } = {},
  ): Promise<ReceivedLine> {
    const { withinMs = DEFAULT_WITHIN_MS, what = "message" } = options;
    try {
      return await within(what, this.inbox.next(wanted, options.from), withinMs);
    } catch (error) {
      throw new Error(
        `Waited in vain for ${what}: ${error instanceof Error ? error.message : error}${this.#tail()}`,
      );
    }
  }

  /** Stops taking anything from stdout until `resumeReading`. */
  pauseReading(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    this.#openGate = resolve;
  }

  resumeReading(): void {
    this.#openGate();
  }

  /** Takes no more than this from stdout; Infinity lifts the limit. */
  limitReading(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  async closeStdin(): Promise<void> {
    await this.#stdin.close().catch(() => {});
  }

  /** Closes our read ends: the process gets EPIPE when it writes. */
  async closeOutput(): Promise<void> {
    this.#openGate();
    await Promise.allSettled([this.#stdout.cancel(), this.#stderr.cancel()]);
  }

  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Resolves when the process has ended and its pipes have been read to their end. */
  async exit(withinMs: number): Promise<Deno.CommandStatus> {
    const status = await within("exit", this.#child.status, withinMs, () => this.#tail());
    this.#openGate();
    // A grandchild that inherited stderr could hold it open for ever.
    await within("end of output", this.#reading, DEFAULT_WITHIN_MS).catch(() => this.closeOutput());
    await this.closeStdin();
    return status;
  }

  async #readStdout(): Promise<void> {
    const splitter = new LineSplitter();
    const started = { at: performance.now(), bytes: 0 };
    try {
      for (;;) {
        await this.#gate;
        const { done, value } = await this.#stdout.read();
        if (done) break;
        for (const line of splitter.push(value)) this.inbox.add(line);
        if (this.#bytesPerSecond === Infinity) continue;
        started.bytes += value.length;
        await this.#keepPace(started);
      }
      const rest = splitter.rest();
      if (rest.length > 0) this.inbox.add(rest);
    } finally {
      this.inbox.close(new Error("the process closed its stdout"));
    }
  }

  /** Waits until as much time has passed as the bytes read so far may take. */
  async #keepPace(since: { at: number; bytes: number }): Promise<void> {
    const due = (): boolean => performance.now() >= since.at + since.bytes / this.#bytesPerSecond * 1000;
    await until("next read", due, Infinity);
  }

  async #readStderr(): Promise<void> {
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await this.#stderr.read();
      if (done) return;
      this.#stderrText += decoder.decode(value, { stream: true });
    }
  }

  #tail(): string {
    const status = this.#status === undefined ? "" : ` (ended with ${JSON.stringify(this.#status)})`;
    return `${status}${
      this.#stderrText === "" ? "" : `\nIts stderr ends:\n${this.#stderrText.slice(-2000)}`
    }`;
  }
}
