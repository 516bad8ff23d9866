/**
 * Runs a short-lived program within a time, and leaves none of its processes behind.
 */
import { settlesWithin } from "../platform/deadline.ts";
import { descendantsOf, killGroups, signalQuietly } from "../platform/process_tree.ts";

export interface ProgramRequest {
  readonly program: string;
  readonly args: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type ProgramOutcome =
  | {
    readonly kind: "ended";
    /** 128 + n where signal n ended it. */
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }
  | { readonly kind: "timed_out"; readonly stderr: string }
  | { readonly kind: "not_started"; readonly cause: unknown };

/** Of each stream; the rest is read and dropped. */
const KEPT_BYTES = 256 * 1024;

/** A grandchild in a session of its own may hold the streams open. */
const LAST_OUTPUT_MS = 500;

export async function runProgram(request: ProgramRequest): Promise<ProgramOutcome> {
  const { program, args, env, timeoutMs, signal } = request;
  let child: Deno.ChildProcess;
  try {
    signal.throwIfAborted();
    child = new Deno.Command(program, {
      args: [...args],
      env: { ...env },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      // A group of its own, so that whatever it starts can be ended with it.
      detached: true,
    }).spawn();
  } catch (cause) {
    return { kind: "not_started", cause };
  }
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener("abort", onAbort);
  const stdout = new Keeper(child.stdout);
  const stderr = new Keeper(child.stderr);
  try {
    const inTime = await settlesWithin(Promise.race([child.status, aborted.promise]), timeoutMs) &&
      !signal.aborted;
    if (!inTime) {
      const below = await descendantsOf(child.pid);
      killGroup(child);
      await killGroups(below, "SIGKILL");
      await child.status;
    }
    const { code } = await child.status;
    // What it left in its group serves nobody any more.
    killGroup(child);
    const texts = await Promise.all([stdout.text(), stderr.text()]);
    if (!inTime) return { kind: "timed_out", stderr: texts[1] };
    return { kind: "ended", code, stdout: texts[0], stderr: texts[1] };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The last lines of what a program said, for a message. */
export function lastLines(text: string, count: number = SHOWN_LINES): string {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "").slice(-count)
    .map((line) => line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line)
    .join("\n");
}

const SHOWN_LINES = 5;
const SHOWN_CHARACTERS = 300;

function killGroup(child: Deno.ChildProcess): void {
  if (Deno.build.os !== "windows") return signalQuietly(-child.pid, "SIGKILL");
  try {
    child.kill();
  } catch {
    // Gone already.
  }
}

/** Reads a stream to its end and keeps its beginning. */
class Keeper {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #done: Promise<void>;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.#done = this.#read();
  }

  async text(): Promise<string> {
    if (!await settlesWithin(this.#done, LAST_OUTPUT_MS)) await this.#reader.cancel().catch(() => {});
    return new TextDecoder().decode(await new Blob(this.#chunks as BlobPart[]).arrayBuffer());
  }

  async #read(): Promise<void> {
    for (;;) {
      const { value } = await this.#reader.read();
      if (value === undefined) return;
      if (this.#length < KEPT_BYTES) this.#chunks.push(value);
      this.#length += value.length;
    }
  }
}
