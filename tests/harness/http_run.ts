/**
 * One HTTP server with fake upstreams behind it, in a folder of its own. At the end of the run everything has to be
 * gone: the processes, the listening socket, and what they put into the temporary directory.
 */
import assert from "node:assert/strict";
import { inheritedEnvironment } from "./bridge_run.ts";
import { FakeLog } from "./fake_log.ts";
import { HttpClient } from "./http_client.ts";
import type { Message } from "./json_rpc_inbox.ts";
import { ProcessTree } from "./process_tree.ts";
import { RunFolder } from "./run_folder.ts";
import { bridgeCommand, fakeCommand } from "./target.ts";
import { until, within } from "./until.ts";
import { endOfRun } from "./end_of_run.ts";

export interface HttpRunOptions {
  /** Switches of the fake upstream. */
  readonly fake?: readonly string[];
  /** Another upstream command instead of the fake, or the product's own upstream. */
  readonly upstream?: readonly string[] | "embedded";
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** A folder that somebody else made and removes. */
  readonly folder?: RunFolder;
  /** Issuers of the server's certificates that clients trust. */
  readonly caCerts?: readonly string[];
  /** Listens on this unix socket instead of a port. */
  readonly socket?: string;
}

const STARTS_WITHIN_MS = 15_000;
/** After SIGTERM: drain bound and grace together. */
const ORDERLY_EXIT_WITHIN_MS = 12_000;
/** Promise of the product: this long after the server's end nothing of it is left. */
const NOTHING_LEFT_WITHIN_MS = 5_000;

export class HttpRun implements AsyncDisposable {
  readonly folder: RunFolder;
  readonly log: FakeLog;
  readonly tree: ProcessTree;
  readonly pid: number;
  /** For connections that a test wants closed with the run. */
  readonly http: Deno.HttpClient;
  /** Set by a test that kills the server: then nobody can clean its temporary directory. */
  leavesTemporaryFiles = false;
  readonly #ownsFolder: boolean;
  readonly #socket: string | undefined;
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<void>;
  #stderr = "";
  #status: Deno.CommandStatus | undefined;
  #url = "";

  private constructor(options: HttpRunOptions) {
    const { command, args } = bridgeCommand();
    this.folder = options.folder ?? new RunFolder();
    this.#ownsFolder = options.folder === undefined;
    const { socket, caCerts = [] } = options;
    this.#socket = socket;
    this.http = Deno.createHttpClient({
      poolIdleTimeout: 1_000,
      caCerts: [...caCerts],
      ...(socket === undefined ? {} : { proxy: { transport: "unix", path: socket } }),
    });
    const listen = socket === undefined ? ["--http-port", "0"] : ["--http-socket", socket];
    this.log = new FakeLog(this.folder.journal);
    this.#child = new Deno.Command(command, {
      args: [...args, "--transport", "streamable-http", ...listen, ...options.args ?? []],
      env: {
        ...inheritedEnvironment(),
        TMPDIR: this.folder.temporary,
        ...this.#upstreamVariables(options),
        ...options.env,
      },
      clearEnv: true,
      cwd: this.folder.work,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.pid = this.#child.pid;
    this.tree = new ProcessTree(this.pid);
    this.#child.status.then((status) => this.#status = status);
    this.#reading = this.#readOutput();
  }

  /** A server that listens. */
  static async start(options: HttpRunOptions = {}): Promise<HttpRun> {
    const run = new HttpRun(options);
    try {
      run.#url = await until(
        "the start line",
        () => {
          assert.equal(run.#status, undefined, `the server ended: ${run.#stderr}`);
          const [, url, path] = / streamable-http listening (?:url=(\S+)|path=(\S+))/.exec(run.#stderr) ?? [];
          return url ?? (path === undefined ? undefined : `http://localhost${path}`);
        },
        STARTS_WITHIN_MS,
      );
      return run;
    } catch (error) {
      await run.#abandon();
      throw error;
    }
  }

  /** Address of the MCP endpoint. */
  get url(): string {
    return this.#url;
  }

  get port(): number {
    return Number(new URL(this.#url).port);
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Undefined while the server runs. */
  get status(): Deno.CommandStatus | undefined {
    return this.#status;
  }

  /** A client without a session. */
  client(headers: Readonly<Record<string, string>> = {}): HttpClient {
    return new HttpClient({ url: this.#url, http: this.http, headers });
  }

  /** A client whose session is open. */
  async open(headers: Readonly<Record<string, string>> = {}): Promise<HttpClient> {
    const client = this.client(headers);
    const answer = await client.initialize();
    assert.ok(answer.result, JSON.stringify(answer));
    this.tree.record();
    return client;
  }

  /** Status and body of a probe, or of any other path. */
  async get(
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; body: Message; headers: Headers }> {
    const response = await fetch(new URL(path, this.#url), { client: this.http, ...init });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? undefined : JSON.parse(text),
      headers: response.headers,
    };
  }

  /** Pid of the upstream of a session. */
  async childOf(client: HttpClient): Promise<number> {
    return (await client.callTool("pid")).result.structuredContent.pid;
  }

  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  async exit(withinMs: number): Promise<Deno.CommandStatus> {
    const status = await within("exit", this.#child.status, withinMs, () => `\n${this.#stderr.slice(-2000)}`);
    await this.#reading;
    return status;
  }

  /** Ends the server, as a service manager does, and proves that nothing is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await endOfRun(async () => {
      this.tree.record();
      if (this.#status === undefined) this.signal("SIGTERM");
      const status = await this.exit(ORDERLY_EXIT_WITHIN_MS);
      if (!this.leavesTemporaryFiles) {
        assert.equal(status.code, 0, `exit status\n${this.#stderr.slice(-2000)}`);
      }
      await this.tree.assertNothingLeft({ withinMs: NOTHING_LEFT_WITHIN_MS });
      if (!this.leavesTemporaryFiles) {
        assert.deepEqual(this.folder.temporaryEntries(), [], "temporary files left");
      }
      assert.ok(await this.#refusesConnections(), "the server does not listen any more");
    }, () => this.#abandon());
  }

  async #abandon(): Promise<void> {
    this.tree.record();
    this.tree.killAll();
    await this.exit(NOTHING_LEFT_WITHIN_MS);
    this.http.close();
    if (this.#ownsFolder) this.folder.remove();
  }

  #upstreamVariables({ upstream, fake = [] }: HttpRunOptions): Record<string, string> {
    if (upstream === "embedded") return {};
    const command = upstream ??
      fakeCommand(["--log", this.folder.journal, "--starts", this.folder.starts, ...fake]);
    return {
      CLOAK_PLAYWRIGHT_MCP_UPSTREAM_COMMAND: JSON.stringify(command),
      // The fake needs no browser, so none is to be looked for.
      PLAYWRIGHT_MCP_BROWSER_ENGINE: "playwright",
    };
  }

  async #refusesConnections(): Promise<boolean> {
    const path = this.#socket;
    const connecting = path === undefined
      ? Deno.connect({ hostname: "127.0.0.1", port: this.port })
      : Deno.connect({ transport: "unix", path });
    try {
      (await connecting).close();
      return false;
    } catch {
      return true;
    }
  }

  async #readOutput(): Promise<void> {
    const decoder = new TextDecoder();
    const stdout = this.#child.stdout.pipeTo(
      new WritableStream({
        write: (chunk) => {
          this.#stderr += `[on stdout] ${new TextDecoder().decode(chunk)}`;
        },
      }),
    );
    for await (const chunk of this.#child.stderr) this.#stderr += decoder.decode(chunk, { stream: true });
    await stdout;
  }
}
