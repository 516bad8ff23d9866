/** One of the two programs that are compared, with a client, in a folder of its own. */
import { playwrightMcpCommand } from "../../harness/peers.ts";
import { ProcessTree } from "../../harness/process_tree.ts";
import { type Message, StdioClient } from "../../harness/stdio_client.ts";
import { bridgeCommand } from "../../harness/target.ts";
import { BrowserFolder } from "../browser_folder.ts";
import { testBrowserPath } from "../test_browser.ts";

export class Side implements AsyncDisposable {
  readonly client: StdioClient;
  readonly folder: BrowserFolder;
  readonly initialized: Message;
  readonly #tree: ProcessTree;

  private constructor(client: StdioClient, folder: BrowserFolder, initialized: Message) {
    this.client = client;
    this.folder = folder;
    this.initialized = initialized;
    this.#tree = new ProcessTree(client.pid);
  }

  /** Node's `@playwright/mcp`. */
  static async peer(options: readonly string[]): Promise<Side> {
    return await Side.#start([...await playwrightMcpCommand(), ...options]);
  }

  static async product(options: readonly string[]): Promise<Side> {
    const { command, args } = bridgeCommand();
    return await Side.#start([command, ...args, "--browser-engine", "playwright", ...options]);
  }

  static async #start([command = "", ...args]: readonly string[]): Promise<Side> {
    const folder = new BrowserFolder();
    const browser = ["--headless", "--no-sandbox", "--executable-path", await testBrowserPath()];
    const client = StdioClient.start({
      command,
      args: [...args, ...browser],
      env: folder.environment,
      cwd: folder.work,
    });
    return new Side(client, folder, await client.initialize({ capabilities: {} }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tree.record();
    await this.client.closeStdin();
    await this.client.exit(10_000).catch(() => {}); // killed below
    this.#tree.killAll();
    await this.#tree.assertNothingLeft({ withinMs: 5_000 });
    this.folder.remove();
  }
}
