/**
 * Remembers which processes a run has started, by pid and start time, so that a test can prove that none is left.
 * Names and environment markers do not serve: other programs have the same names, and a browser's helpers lose
 * the environment.
 */
import { isRunning, type ProcessStat, readAllStats, readStat } from "./proc_stat.ts";
import { until } from "./until.ts";

/** Characters of a command line that a message shows: those of browsers run to thousands. */
const LONGEST_SHOWN = 300;

export class ProcessTree {
  readonly #recorded = new Map<string, ProcessStat>();
  readonly #ownSession = readStat("self")?.session;

  constructor(root: number) {
    const stat = readStat(root);
    if (stat !== undefined) this.#recorded.set(keyOf(stat), stat);
  }

  /**
   * Adds the present descendants of the root and of everything recorded before, and whatever shares a session with
   * one of them: a process whose parent has died is no descendant any more.
   */
  record(): readonly ProcessStat[] {
    const all = readAllStats();
    const known = (stat: ProcessStat): boolean => this.#recorded.has(keyOf(stat));
    for (let found = true; found;) {
      found = false;
      const parents = new Set<number>();
      const sessions = new Set<number>();
      for (const stat of all) {
        if (!known(stat)) continue;
        parents.add(stat.pid);
        if (stat.session !== this.#ownSession) sessions.add(stat.session);
      }
      for (const stat of all) {
        const belongs = parents.has(stat.parent) || sessions.has(stat.session);
        if (!belongs || known(stat)) continue;
        this.#recorded.set(keyOf(stat), stat);
        found = true;
      }
    }
    return Array.from(this.#recorded.values());
  }

  /** Recorded processes that still run, and those that share a private session with a recorded one. */
  running(): ProcessStat[] {
    const sessions = new Set(Array.from(this.#recorded.values(), (stat) => stat.session));
    if (this.#ownSession !== undefined) sessions.delete(this.#ownSession);
    return readAllStats().filter((stat) =>
      isRunning(stat) && (this.#recorded.has(keyOf(stat)) || sessions.has(stat.session))
    );
  }

  /** @throws Error listing what still runs after `withinMs` */
  async assertNothingLeft(options: { withinMs: number }): Promise<void> {
    try {
      await until("no process left", () => this.running().length === 0, options.withinMs);
    } catch {
      const left = this.running().map((stat) => `${stat.pid} ${commandLine(stat.pid) || stat.name}`);
      if (left.length > 0) {
        throw new Error(`Processes left behind after ${options.withinMs} ms:\n  ${left.join("\n  ")}`);
      }
    }
  }

  /** Kills what still runs, so that a failed test does not disturb the next one. */
  killAll(): void {
    for (const stat of this.running()) {
      try {
        Deno.kill(stat.pid, "SIGKILL");
      } catch {
        // ended in between
      }
    }
  }
}

function keyOf(stat: ProcessStat): string {
  return `${stat.pid}@${stat.startTime}`;
}

function commandLine(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim().slice(0, LONGEST_SHOWN);
  } catch {
    return "";
  }
}
