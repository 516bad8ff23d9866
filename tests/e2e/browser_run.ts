/**
 * One server with a real browser behind it, in a folder of its own. At the end of the run everything has to be gone:
 * the processes, and what they put into the temporary directory.
 */
import assert from "node:assert/strict";
import { ProcessTree } from "../harness/process_tree.ts";
import { StdioClient } from "../harness/stdio_client.ts";
import { bridgeCommand } from "../harness/target.ts";
import { until } from "../harness/until.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { type BrowserProcess, browsersOf, processesNaming } from "./browser_processes.ts";
import { BrowserUser } from "./browser_user.ts";
import { testBrowserPath } from "./test_browser.ts";
import { endOfRun } from "../harness/end_of_run.ts";

export interface BrowserRunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of an earlier run, which stays its owner. */
  readonly folder?: BrowserFolder;
  /** With false the server is told of no browser. */
  readonly browser?: false;
  /** Members of the parameters of `initialize`. */
  readonly initialize?: Readonly<Record<string, unknown>>;
}

/** Promises of the product: so long after its client or operator asks for it the server has ended. */
export const ENDS_WITHIN_MS = 5_000;
/** And so long after the end of the server nothing of it is left. */
const NOTHING_LEFT_WITHIN_MS = 5_000;
/** The pages of the tests react at once; upstream's half second after each action would be most of the suite's time. */
export const SETTLE_MS = "100";

export class BrowserRun extends BrowserUser<StdioClient> implements AsyncDisposable {
  readonly tree: ProcessTree;
  readonly folder: BrowserFolder;
  /** Set by a test that kills the server: then nobody can clean its temporary directory. */
  leavesTemporaryFiles = false;
  /** Set by a test that has another server in the same folder. */
  sharesFolder = false;
  readonly #ownsFolder: boolean;

  private constructor(folder: BrowserFolder, client: StdioClient, ownsFolder: boolean) {
    super(client);
    this.folder = folder;
    this.#ownsFolder = ownsFolder;
    this.tree = new ProcessTree(client.pid);
  }

  /** A run whose client has shaken hands. */
  static async start(options: BrowserRunOptions = {}): Promise<BrowserRun> {
    const browserPath = options.browser === false ? undefined : await testBrowserPath();
    const folder = options.folder ?? new BrowserFolder();
    const { command, args } = bridgeCommand();
    const client = StdioClient.start({
      command,
      args: [...args, ...options.args ?? []],
      env: {
        ...folder.environment,
        PLAYWRIGHT_MCP_TIMEOUT_SETTLE: SETTLE_MS,
        ...(browserPath === undefined ? {} : { CLOAKBROWSER_BINARY_PATH: browserPath }),
        ...options.env,
      },
      cwd: folder.work,
    });
    const run = new BrowserRun(folder, client, options.folder === undefined);
    try {
      // Without capabilities upstream asks nothing of the client before its first answer.
      await client.initialize({ capabilities: {}, ...options.initialize });
      return run;
    } catch (error) {
      await run.abandon();
      throw error;
    }
  }

  /** The one browser that runs. */
  browser(): BrowserProcess {
    const [browser, ...others] = browsersOf(this.tree);
    assert.ok(browser, "no browser runs");
    assert.deepEqual(others, [], "more than one browser runs");
    return browser;
  }

  /** Waits until nothing of the run is left, in the list of processes and in the temporary directory. */
  async assertNothingLeft(): Promise<void> {
    await this.tree.assertNothingLeft({ withinMs: NOTHING_LEFT_WITHIN_MS });
    if (this.sharesFolder) return;
    const strays = (): string[] => processesNaming(this.folder.path);
    await until("no process of the folder", () => strays().length === 0, NOTHING_LEFT_WITHIN_MS).catch(() => {
      assert.deepEqual(strays(), [], "processes left outside the family");
    });
    if (!this.leavesTemporaryFiles) {
      assert.deepEqual(this.folder.temporaryEntries(), [], "temporary files left");
    }
  }

  /** Ends stdin, as a client that goes away does, and proves that nothing is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await endOfRun(async () => {
      this.tree.record();
      if (this.client.status === undefined) {
        await this.client.closeStdin();
        const status = await this.client.exit(ENDS_WITHIN_MS);
        assert.deepEqual([status.code, status.signal], [0, null], this.client.stderrText);
      }
      await this.assertNothingLeft();
    }, () => this.abandon());
  }

  /** Kills whatever is left of the run. */
  async abandon(): Promise<void> {
    this.tree.record();
    this.tree.killAll();
    await this.client.exit(NOTHING_LEFT_WITHIN_MS);
    // A process that is just dying could write into the folder once more.
    await this.tree.assertNothingLeft({ withinMs: NOTHING_LEFT_WITHIN_MS });
    if (this.#ownsFolder) this.folder.remove();
  }
}
