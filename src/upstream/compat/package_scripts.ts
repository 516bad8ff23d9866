/**
 * Upstream starts scripts of its own package as `process.execPath SCRIPT ARGUMENTS`: the dashboard behind
 * `browser_annotate`, and the download behind `install-browser`. In a compiled program `process.execPath` is
 * that program, which would take the script for an argument of its own; so it is told to run the script.
 * It has no channel for `process.send` either (seen in 2.7.11); lines on standard input and output stand in.
 */

import childProcess, { type ChildProcess, type SpawnOptions } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { setInterval } from "node:timers";
import { upstreamPackageRoot } from "../package_root.ts";

/** Tells the started program to speak with its parent in lines. */
const CHANNEL_VARIABLE = "CLOAKBROWSER_MCP_SCRIPT_CHANNEL";

/** How often a script looks whether the process that started it is still there. */
const STARTER_CHECK_MS = 1000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Sends upstream's scripts to the hidden command of this program. A script is named by its path within the
 * package, because the path of the package is another one in each process that has another TMPDIR.
 *
 * @param environment What the started program gets beside the environment that upstream chooses for it.
 */
export function repairPackageScripts(environment: Environment): void {
  const { spawn } = childProcess;
  const root = upstreamPackageRoot();
  const self = (script: string, args: readonly string[], options: SpawnOptions): ChildProcess => {
    const command = ["upstream", "run-script", path.relative(root, script), ...args];
    const env = { ...(options.env ?? process.env), ...environment };
    return exitAfterOutput(spawn(process.execPath, command, { ...options, env }));
  };
  const module = childProcess as unknown as Record<"spawn" | "fork", unknown>;

  module.spawn = (command: string, args?: unknown, options?: SpawnOptions): ChildProcess => {
    if (command === process.execPath && Array.isArray(args)) {
      const [script, ...rest] = args as string[];
      if (script?.startsWith(root + path.sep)) return self(script, rest, options ?? {});
    }
    return Reflect.apply(spawn, childProcess, [command, args, options]);
  };

  module.fork = (script: string): ChildProcess => {
    const child = self(script, [], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, [CHANNEL_VARIABLE]: "1" },
    });
    const { stdin, stdout } = child;
    if (stdout !== null) onLine(stdout, (message) => child.emit("message", message));
    child.send = (message: unknown): boolean => stdin?.write(JSON.stringify(message) + "\n") ?? false;
    return child;
  };
}

/**
 * Upstream reads the output of a script until `exit`. Node has usually emitted the output by then, Deno (2.7.11)
 * has not.
 */
function exitAfterOutput(child: ChildProcess): ChildProcess {
  const { stdout } = child;
  if (stdout === null) return child;
  const emit = child.emit.bind(child) as (event: string | symbol, ...args: unknown[]) => boolean;
  child.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== "exit" || stdout.readableEnded || stdout.destroyed) return emit(event, ...args);
    stdout.once("end", () => emit(event, ...args));
    return true;
  };
  return child;
}

/**
 * Runs one of upstream's scripts in this process.
 *
 * @param args Path of the script within upstream's package, then its arguments.
 * @throws {Error} When there is no such script.
 */
export function runPackageScript(args: readonly string[]): void {
  const [name = "", ...rest] = args;
  const script = path.join(upstreamPackageRoot(), name);
  if (process.env[CHANNEL_VARIABLE] !== undefined) openChannel();
  process.argv = [process.execPath, script, ...rest];
  endWithStarter();
  createRequire(import.meta.url)(script);
}

/** The dashboard would stay for ever, although it shows a browser that is gone. */
function endWithStarter(): void {
  const starter = process.ppid;
  setInterval(() => {
    if (process.ppid !== starter) process.kill(process.pid, "SIGTERM");
  }, STARTER_CHECK_MS).unref();
}

function openChannel(): void {
  delete process.env[CHANNEL_VARIABLE];
  process.send = (message: unknown): boolean => process.stdout.write(JSON.stringify(message) + "\n");
  const lines = onLine(process.stdin, (message) => process.emit("message", message, undefined));
  lines.on("close", () => process.emit("disconnect"));
}

function onLine(
  input: NodeJS.ReadableStream,
  act: (message: unknown) => void,
): ReturnType<typeof createInterface> {
  const lines = createInterface({ input });
  lines.on("line", (line) => act(JSON.parse(line)));
  return lines;
}
