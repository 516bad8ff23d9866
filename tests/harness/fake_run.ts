/** The fake upstream with a client directly on its pipes, to compare with what comes through the bridge. */
import { inheritedEnvironment } from "./bridge_run.ts";
import { FakeLog } from "./fake_log.ts";
import { RunFolder } from "./run_folder.ts";
import { StdioClient } from "./stdio_client.ts";
import { fakeCommand } from "./target.ts";

export class FakeRun implements AsyncDisposable {
  readonly client: StdioClient;
  readonly log: FakeLog;
  readonly folder = new RunFolder();

  constructor(switches: readonly string[] = []) {
    const files = ["--log", this.folder.journal, "--starts", this.folder.starts];
    const [command = "", ...args] = fakeCommand([...files, ...switches]);
    const env = { ...inheritedEnvironment(), TMPDIR: this.folder.temporary };
    this.client = StdioClient.start({ command, args, env, cwd: this.folder.work });
    this.log = new FakeLog(this.folder.journal);
  }

  static async initialized(switches: readonly string[] = []): Promise<FakeRun> {
    const run = new FakeRun(switches);
    await run.client.initialize();
    return run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.client.status === undefined) this.client.signal("SIGKILL");
    await this.client.exit(5_000);
    this.folder.remove();
  }
}
