/**
 * One bridge with a fake upstream behind it, in a folder of its own. At the end of the run everything has to be
 * gone: the processes, and what they put into the temporary directory.
 */
import assert from "node:assert/strict";
import { FakeLog } from "./fake_log.ts";
import { ProcessTree } from "./process_tree.ts";
import { RunFolder } from "./run_folder.ts";
import { StdioClient } from "./stdio_client.ts";
import { bridgeCommand, fakeCommand } from "./target.ts";
import { endOfRun } from "./end_of_run.ts";

export interface BridgeRunOptions {
  /** Switches of the fake upstream. */
  readonly fake?: readonly string[];
  /** Another upstream command instead of the fake. */
  readonly upstream?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Folder of an earlier run, which stays its owner. */
  readonly folder?: RunFolder;
}

/** What the process may take to end by itself after the end of stdin: drain bound and grace together. */
const ORDERLY_EXIT_WITHIN_MS = 12_000;
/** Promise of the product: this long after the bridge's end nothing of it is left. */
const NOTHING_LEFT_WITHIN_MS = 5_000;

/** Names that have to reach Deno for it to find its cache, and programs to be found. */
const INHERITED = ["PATH", "HOME", "DENO_DIR", "DENO_TLS_CA_STORE", "LANG"];

export class BridgeRun implements AsyncDisposable {
  readonly client: StdioClient;
  readonly log: FakeLog;
  readonly tree: ProcessTree;
  readonly folder: RunFolder;
  /** Set by a test that kills the bridge: then nobody can clean its temporary directory. */
  leavesTemporaryFiles = false;
  readonly #ownsFolder: boolean;

  constructor(options: BridgeRunOptions = {}) {
    this.#ownsFolder = options.folder === undefined;
    this.folder = options.folder ?? new RunFolder();
    const { command, args } = bridgeCommand();
    const upstream = options.upstream ??
      fakeCommand(["--log", this.folder.journal, "--starts", this.folder.starts, ...options.fake ?? []]);
    this.log = new FakeLog(this.folder.journal);
    this.client = StdioClient.start({
      command,
      args: [...args, ...options.args ?? []],
      env: {
        ...inheritedEnvironment(),
        TMPDIR: this.folder.temporary,
        CLOAK_PLAYWRIGHT_MCP_UPSTREAM_COMMAND: JSON.stringify(upstream),
        // The fake needs no browser, so none is to be looked for.
        PLAYWRIGHT_MCP_BROWSER_ENGINE: "playwright",
        ...options.env,
      },
      cwd: this.folder.work,
    });
    this.tree = new ProcessTree(this.client.pid);
  }

  /** A run whose client has shaken hands. */
  static async initialized(options: BridgeRunOptions = {}): Promise<BridgeRun> {
    const run = new BridgeRun(options);
    try {
      await run.client.initialize();
      // One answered round trip: the fake is up, and the tree knows it.
      await run.client.request("ping");
      run.tree.record();
      return run;
    } catch (error) {
      await run.abandon();
      throw error;
    }
  }

  /** Ends stdin, as a client that goes away does, and proves that nothing is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await endOfRun(async () => {
      this.tree.record();
      if (this.client.status === undefined) await this.client.closeStdin();
      await this.client.exit(ORDERLY_EXIT_WITHIN_MS);
      await this.tree.assertNothingLeft({ withinMs: NOTHING_LEFT_WITHIN_MS });
      if (!this.leavesTemporaryFiles) {
        assert.deepEqual(this.folder.temporaryEntries(), [], "temporary files left");
      }
    }, () => this.abandon());
  }

  /** Kills whatever is left of the run. */
  async abandon(): Promise<void> {
    this.tree.record();
    this.tree.killAll();
    await this.client.exit(NOTHING_LEFT_WITHIN_MS);
    if (this.#ownsFolder) this.folder.remove();
  }
}

/** The part of this process's environment that every started process gets. */
export function inheritedEnvironment(): Record<string, string> {
  const pairs = INHERITED.map((name) => [name, Deno.env.get(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
