/**
 * A display without a screen, for browsers that are to have a window: one Xvfb for all sessions of this process, from
 * the first that needs it to the end of the last.
 */
import { join } from "node:path";
import { AppError } from "../errors.ts";
import { pause, settlesWithin } from "./deadline.ts";
import { createPrivateDirectory } from "./private_directory.ts";
import { signalQuietly } from "./process_tree.ts";
import { authorityFile, connectToDisplay, newCookie, type XCookie } from "./x_display.ts";

export interface RunningDisplay {
  /** What a program needs to use the display. */
  readonly environment: { readonly DISPLAY: string; readonly XAUTHORITY: string };
  /** Settles when the display is gone, and every window on it. */
  readonly ended: Promise<unknown>;
}

export interface DisplayLease extends AsyncDisposable {
  /**
   * The display, started where it does not run.
   *
   * @throws {AppError} `usage` where there is no Xvfb, or none that works
   */
  running(): Promise<RunningDisplay>;
}

export interface VirtualDisplayOptions {
  /** Program to run; found by `PATH`. */
  readonly program?: string;
  /** Where the private directory with the authority file goes, and the start of its name. */
  readonly tempRoot: string;
  readonly prefix: string;
}

/** Width and height in pixels, and bits for each. */
const SCREEN = "1280x720x24";
const START_MS = 10_000;
const POLL_MS = 50;

/** It ends by itself with its last client; past this it is stuck. */
const END_MS = 2_000;

const LAST_WORDS_CHARS = 500;

type Running = RunningDisplay & AsyncDisposable;

export class VirtualDisplay {
  readonly #options: VirtualDisplayOptions;
  #leases = 0;
  #running: Promise<Running> | undefined;

  constructor(options: VirtualDisplayOptions) {
    this.#options = options;
  }

  /** A claim on the display, which starts nothing yet. */
  lease(): DisplayLease {
    let held = false;
    return {
      running: () => {
        if (!held) this.#leases += 1;
        held = true;
        return this.#running ?? this.#start();
      },
      [Symbol.asyncDispose]: async () => {
        if (!held) return;
        held = false;
        this.#leases -= 1;
        if (this.#leases > 0) return;
        const running = this.#running;
        // Whoever comes while it ends gets another.
        this.#running = undefined;
        await (await running?.catch(() => undefined))?.[Symbol.asyncDispose]();
      },
    };
  }

  #start(): Promise<Running> {
    const starting = startXvfb(this.#options);
    this.#running = starting;
    const forget = (): void => {
      if (this.#running === starting) this.#running = undefined;
    };
    void starting.then(async (running) => {
      await running.ended;
      forget();
      await running[Symbol.asyncDispose]();
    }, forget);
    return starting;
  }
}

async function startXvfb({ program = "Xvfb", tempRoot, prefix }: VirtualDisplayOptions): Promise<Running> {
  await using resources = new AsyncDisposableStack();
  const directory = resources.use(await createPrivateDirectory({ tempRoot, prefix }));
  const cookie = newCookie();
  const authority = join(directory.path, "authority");
  await Deno.writeFile(authority, authorityFile(cookie), { mode: 0o600 });
  const child = spawn(program, authority);
  const ended = child.status;
  resources.defer(async () => {
    if (await settlesWithin(ended, END_MS)) return;
    signalQuietly(child.pid, "SIGKILL");
    await ended;
  });
  const lastWords = collect(child.stderr);
  const client = await becomeClient(child, cookie);
  if (client === undefined) {
    signalQuietly(child.pid, "SIGTERM");
    await settlesWithin(ended, END_MS);
    throw new AppError(
      "usage",
      `No display for the window of the browser: Xvfb did not start\n${lastWords()}`.trim(),
      {
        remedy: "Set DISPLAY to a display that works, or run the browser without a window",
      },
    );
  }
  resources.defer(() => client.socket.close());
  // Xvfb tells all clients of changes; one that never reads would be cut off in the end.
  void readToEnd(client.socket);
  const owned = resources.move();
  return {
    environment: { DISPLAY: `:${client.number}`, XAUTHORITY: authority },
    ended,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * With `-terminate` Xvfb ends with its last client, and we stay one of them: so it goes when we have gone, in whatever
 * way, and its browsers with us.
 */
function spawn(program: string, authority: string): Deno.ChildProcess {
  try {
    return new Deno.Command(program, {
      args: ["-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp", "-terminate", "-auth", authority],
      // Ctrl-C at a terminal reaches a whole process group; browsers close their windows before the display goes.
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new AppError(
      "usage",
      "No display for the window of the browser: DISPLAY is not set and Xvfb is not installed",
      {
        remedy:
          "Install it (Debian and Ubuntu: package xvfb), set DISPLAY, or run the browser without a window",
        cause,
      },
    );
  }
}

interface DisplayClient {
  readonly number: number;
  readonly socket: Deno.Conn;
}

/** @returns undefined where Xvfb ends, or does not get ready in time */
async function becomeClient(child: Deno.ChildProcess, cookie: XCookie): Promise<DisplayClient | undefined> {
  const deadline = performance.now() + START_MS;
  const reading = firstLine(child.stdout);
  if (!await settlesWithin(reading, START_MS)) return undefined;
  const number = Number.parseInt(await reading, 10);
  while (!Number.isNaN(number) && performance.now() < deadline) {
    const socket = await connectToDisplay(number, cookie);
    if (socket !== undefined) return { number, socket };
    if (await settlesWithin(child.status, 0)) return undefined;
    await pause(POLL_MS);
  }
  return undefined;
}

/** The rest is thrown away. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value;
    if (text.includes("\n")) break;
  }
  await reader.cancel();
  return text;
}

async function readToEnd(socket: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(1024);
  try {
    while (await socket.read(buffer) !== null);
  } catch {
    // Closed by us.
  }
}

/** Keeps the end of what a stream says. */
function collect(stream: ReadableStream<Uint8Array>): () => string {
  let text = "";
  void (async () => {
    for await (const part of stream.pipeThrough(new TextDecoderStream())) {
      text = (text + part).slice(-LAST_WORDS_CHARS);
    }
  })().catch(() => {});
  return () => text.trim();
}
