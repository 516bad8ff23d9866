/**
 * One upstream child: its MCP frames, its last words, and its orderly or forced end.
 */
import { stripVTControlCharacters } from "node:util";
import type { Logger } from "../telemetry/log.ts";
import { pause, settlesWithin } from "../platform/deadline.ts";
import { FrameWriter } from "../protocol/frame_writer.ts";
import { readLines, type TakeLine } from "../protocol/lines.ts";
import {
  descendantsOf,
  killGroups,
  processesWithEnvironment,
  type ProcessRef,
  signalQuietly,
  stillAlive,
} from "../platform/process_tree.ts";

/** Name of the variable that marks a child and the browser it starts, so that an orphaned browser is found. */
export const GENERATION_MARKER = "CLOAKBROWSER_MCP_GENERATION";

export interface UpstreamCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface UpstreamProcessOptions {
  readonly command: UpstreamCommand;
  /** Value of {@link GENERATION_MARKER} in the child's environment. */
  readonly marker: string;
  /** Longest message that is taken from the child, in bytes. */
  readonly maxMessageBytes: number;
  readonly log: Logger;
  /** Takes what must not be shown out of a text. */
  readonly redact: (text: string) => string;
}

export interface UpstreamExit {
  readonly code: number;
  readonly signal: string | null;
}

/**
 * What a child that does not read may leave waiting before its client is made to wait: enough that the client's
 * cancellations and its end of input still get through to the bridge.
 */
const STDIN_BACKLOG_BYTES = 64 * 1024 * 1024;

/** How many of the child's last stderr lines an error text carries, and how long each may be. */
const TAIL_LINES = 20;
const TAIL_LINE_CHARS = 500;

/** A browser ends by itself within about a second once its pipe is closed; past this it is stuck. */
const BROWSER_EXIT_MS = 1500;

/** How often the list of processes is read while waiting for an end. */
const POLL_MS = 100;

/** stderr lines are text for people; a child that writes a megabyte without a newline loses the rest of it. */
const MAX_STDERR_LINE = 64 * 1024;

export class UpstreamProcess implements AsyncDisposable {
  /** Resolves when the child has ended and its stderr was read to the end. Never rejects. */
  readonly exited: Promise<UpstreamExit>;
  readonly pid: number;
  readonly #child: Deno.ChildProcess;
  readonly #writer: FrameWriter;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #options: UpstreamProcessOptions;
  readonly #tail: string[] = [];
  #ended = false;
  #stopping: Promise<void> | undefined;

  /** @throws {Deno.errors.NotFound} and others of `Deno.Command.spawn` where the command cannot be started */
  constructor(options: UpstreamProcessOptions) {
    this.#options = options;
    const { command, args, env } = options.command;
    this.#child = new Deno.Command(command, {
      args: [...args],
      env: { ...env },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      // A session and process group of its own: a terminal's Ctrl-C reaches the bridge alone, which then
      // ends the child in order, and a stuck child can be killed with everything in its group.
      detached: true,
    }).spawn();
    this.pid = this.#child.pid;
    this.#stdin = this.#child.stdin.getWriter();
    // A failed write means that the child is going; its exit tells the story.
    this.#writer = new FrameWriter({
      write: (bytes) => this.#stdin.write(bytes),
      onFailure: () => {},
      highWaterBytes: STDIN_BACKLOG_BYTES,
    });
    const drained = this.#readStderr();
    this.exited = this.#child.status.then(async (status) => {
      this.#ended = true;
      // What it left in its group serves nobody any more and may hold our pipes open.
      signalQuietly(-this.pid, "SIGKILL");
      // Bounded: a grandchild that inherited stderr could hold it open.
      await settlesWithin(drained, BROWSER_EXIT_MS);
      return { code: status.code, signal: status.signal };
    });
  }

  /** Queues one frame; resolves when there is room for more. A child that is gone takes it silently. */
  send(frame: Uint8Array): Promise<void> {
    return this.#writer.send(frame);
  }

  /** Hands over every line of the child's stdout until the child closes it. To be called once. */
  readOutput(take: TakeLine): Promise<void> {
    return readLines(this.#child.stdout, this.#options.maxMessageBytes, take);
  }

  /** The child's last stderr lines, redacted; empty where it wrote none. */
  lastWords(): string {
    return this.#tail.join("\n");
  }

  /**
   * Ends the child and every process it started. First by end of input, which lets upstream close the browser
   * in order; then by SIGTERM; what is left after `graceMs` is killed. Idempotent.
   */
  stop(graceMs: number): Promise<void> {
    return this.#stopping ??= this.#stop(graceMs);
  }

  /** Kills the child, what it started and what it left behind, now. */
  async kill(): Promise<void> {
    const family = await this.#family();
    if (!this.#ended) signalQuietly(-this.pid, "SIGKILL");
    await killGroups(family, "SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(0);
  }

  async #stop(graceMs: number): Promise<void> {
    const before = this.#ended ? [] : await descendantsOf(this.pid);
    if (!this.#ended) {
      // Not awaited: it waits for earlier writes, which a child that stopped reading never takes.
      this.#stdin.close().catch(() => {});
      const exited = await this.#exitsWithin(graceMs * 0.7) || this.#signal("SIGTERM") ||
        await this.#exitsWithin(graceMs * 0.3);
      if (!exited) {
        const late = await descendantsOf(this.pid);
        signalQuietly(-this.pid, "SIGKILL");
        signalQuietly(this.pid, "SIGKILL");
        // The browser has a group of its own, and holds the child's standard error open.
        await killGroups([...before, ...late], "SIGKILL");
        await this.exited;
      }
    }
    await this.#endOrphans(before);
    await this.#stdin.abort().catch(() => {});
  }

  /** Sends a signal; false, so that it can stand in a chain of things to try. */
  #signal(signal: Deno.Signal): false {
    if (!this.#ended) signalQuietly(this.pid, signal);
    return false;
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    if (this.#ended) return true;
    return ms > 0 && await settlesWithin(this.exited, ms);
  }

  /** What the child started, as far as it can be found: below it, or by the marker once it is dead. */
  async #family(): Promise<ProcessRef[]> {
    const below = this.#ended ? [] : await descendantsOf(this.pid);
    return [...below, ...await processesWithEnvironment(GENERATION_MARKER, this.#options.marker)];
  }

  /** Waits for what the child started to end, and kills what does not: a stopped or hung browser. */
  async #endOrphans(known: readonly ProcessRef[]): Promise<void> {
    const marked = await processesWithEnvironment(GENERATION_MARKER, this.#options.marker);
    let left = await stillAlive([...known, ...marked]);
    const deadline = performance.now() + BROWSER_EXIT_MS;
    while (left.length > 0 && performance.now() < deadline) {
      await pause(POLL_MS);
      left = await stillAlive(left);
    }
    if (left.length === 0) return;
    this.#options.log.warn("killing processes that outlived the upstream", { count: left.length });
    await killGroups(left, "SIGKILL");
  }

  async #readStderr(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      await readLines(this.#child.stderr, MAX_STDERR_LINE, (line) => {
        const printed = stripVTControlCharacters(
          decoder.decode(line.kind === "line" ? line.bytes : line.head),
        );
        this.#hear(this.#options.redact(printed));
        return Promise.resolve();
      });
    } catch (error) {
      this.#options.log.debug("upstream stderr ended", { cause: String(error) });
    }
  }

  #hear(text: string): void {
    this.#options.log.debug("upstream stderr", { line: text });
    this.#tail.push(text.slice(0, TAIL_LINE_CHARS));
    if (this.#tail.length > TAIL_LINES) this.#tail.shift();
  }
}
