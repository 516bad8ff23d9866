/** A browser that nobody but the test has started, open to DevTools clients on loopback. */
import { ProcessTree } from "../harness/process_tree.ts";
import { until } from "../harness/until.ts";
import { testBrowserPath } from "./test_browser.ts";

export class StandaloneBrowser implements AsyncDisposable {
  /** Address of its DevTools, for `--cdp-endpoint`. */
  readonly endpoint: string;
  readonly #child: Deno.ChildProcess;
  readonly #tree: ProcessTree;
  #ended = false;

  private constructor(child: Deno.ChildProcess, tree: ProcessTree, port: number) {
    this.#child = child;
    this.#tree = tree;
    this.endpoint = `http://127.0.0.1:${port}`;
    child.status.then(() => this.#ended = true);
  }

  /** @param profile a directory that need not be there yet */
  static async start(profile: string): Promise<StandaloneBrowser> {
    const child = new Deno.Command(await testBrowserPath(), {
      args: [
        ...["--headless", "--no-sandbox", "--remote-debugging-port=0", `--user-data-dir=${profile}`],
        ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "about:blank"],
      ],
      env: { TMPDIR: profile },
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn();
    const tree = new ProcessTree(child.pid);
    const port = await until("the browser's port", async () => {
      const [line] = (await Deno.readTextFile(`${profile}/DevToolsActivePort`).catch(() => "")).split("\n");
      return Number(line);
    }, 15_000);
    return new StandaloneBrowser(child, tree, port);
  }

  get running(): boolean {
    return !this.#ended;
  }

  /** Ends it at once, main process and helpers. */
  kill(): void {
    this.#tree.record();
    this.#tree.killAll();
  }

  async version(): Promise<{ readonly Browser: string }> {
    return await (await fetch(`${this.endpoint}/json/version`)).json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tree.record();
    this.#tree.killAll();
    await this.#child.status;
    await this.#tree.assertNothingLeft({ withinMs: 5_000 });
  }
}
