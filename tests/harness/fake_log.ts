/** Reads the journal of the fake upstream, over all its generations. */
import type { JournalKind } from "../fixtures/fake/journal.ts";
import type { Message } from "./json_rpc_inbox.ts";
import { until } from "./until.ts";

export interface FakeLogEntry {
  /** Milliseconds since the epoch, with fractions. */
  readonly at: number;
  readonly pid: number;
  /** How-manieth start of the fake in this run. */
  readonly start: number;
  readonly kind: JournalKind;
  /** Of a frame: the line as received, and the message in it (undefined for a long one). */
  readonly raw?: string;
  readonly byteLength?: number;
  readonly message?: Message;
  readonly signal?: string;
  readonly code?: number;
  readonly requestId?: unknown;
  readonly known?: boolean;
  readonly id?: unknown;
}

export class FakeLog {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  entries(kind?: JournalKind): FakeLogEntry[] {
    let text = "";
    try {
      text = Deno.readTextFileSync(this.#path);
    } catch {
      return [];
    }
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    return whole.split("\n").filter((line) => line !== "").map(parseEntry)
      .filter((entry) => kind === undefined || entry.kind === kind);
  }

  /** Frames received with this method, oldest first. */
  frames(method?: string): FakeLogEntry[] {
    return this.entries("frame").filter((entry) => method === undefined || entry.message?.method === method);
  }

  /** Calls of one tool, in every generation. */
  calls(name: string): FakeLogEntry[] {
    return this.frames("tools/call").filter((entry) => entry.message.params?.name === name);
  }

  /** Pids of the generations, oldest first. */
  pids(): number[] {
    return this.entries("start").map((entry) => entry.pid);
  }

  /** Waits for the first entry that is wanted. */
  next(what: string, wanted: (entry: FakeLogEntry) => boolean, withinMs = 10_000): Promise<FakeLogEntry> {
    return until(`${what} in the journal of the fake`, () => this.entries().find(wanted), withinMs);
  }

  /** Waits until a call of this tool has arrived. */
  called(name: string, times = 1): Promise<FakeLogEntry> {
    return until(`call of ${name} at the fake`, () => this.calls(name)[times - 1], 10_000);
  }
}

function parseEntry(line: string): FakeLogEntry {
  const entry = JSON.parse(line);
  if (entry.kind !== "frame") return entry;
  try {
    return { ...entry, message: JSON.parse(entry.raw) };
  } catch {
    return entry;
  }
}
