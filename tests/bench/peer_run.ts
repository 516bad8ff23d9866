/** One peer that serves HTTP, in a folder of its own, until the end of its run. */
import type { HttpPeer } from "../harness/peers.ts";
import { inheritedEnvironment } from "../harness/bridge_run.ts";
import { ProcessTree } from "../harness/process_tree.ts";
import { RunFolder } from "../harness/run_folder.ts";
import { until } from "../harness/until.ts";

const STARTS_WITHIN_MS = 20_000;

export class PeerRun implements AsyncDisposable {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly tree: ProcessTree;
  readonly #folder = new RunFolder();
  readonly #child: Deno.ChildProcess;

  private constructor(peer: HttpPeer, upstream: readonly string[]) {
    this.name = peer.name;
    this.port = freePort();
    const [command = "", ...args] = peer.command(this.port, upstream);
    this.#child = new Deno.Command(command, {
      args,
      env: { ...inheritedEnvironment(), TMPDIR: this.#folder.temporary },
      clearEnv: true,
      cwd: this.#folder.work,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    this.pid = this.#child.pid;
    this.tree = new ProcessTree(this.pid);
  }

  /** A server that listens. */
  static async start(peer: HttpPeer, upstream: readonly string[]): Promise<PeerRun> {
    const run = new PeerRun(peer, upstream);
    try {
      await until(`${peer.name} listens`, () => listens(run.port), STARTS_WITHIN_MS);
      return run;
    } catch (error) {
      await run[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.tree.record();
    this.tree.killAll();
    await this.#child.status;
    this.#folder.remove();
  }
}

/** None of the peers can be asked which port it has chosen. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function listens(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}
