import { messageOf } from "../errors.ts";
import { PROGRAM } from "./commands.ts";
import { run, type World } from "./run.ts";

/** Runs the command line of this process; returns the exit status. */
export async function main(args: readonly string[]): Promise<number> {
  let world: World;
  try {
    world = realWorld();
  } catch (error) {
    // The working directory is gone, for example.
    writeAll(Deno.stderr, `${PROGRAM}: Cannot start: ${messageOf(error)}\n`);
    return 1;
  }
  return await run(args, world);
}

function realWorld(): World {
  return {
    env: Deno.env.toObject(),
    cwd: Deno.cwd(),
    stdout: (text) => writeAll(Deno.stdout, text),
    stderr: (text) => writeAll(Deno.stderr, text),
    readTextFile: Deno.readTextFileSync,
    firstCommandLine: async () => await (await import("./commands/healthcheck.ts")).readFirstCommandLine(),
    serve: async (settings, context) => {
      if (settings.transport === "stdio") {
        const { serveStdio } = await import("../app/serve_stdio.ts");
        return await serveStdio(settings, context);
      }
      const { serveHttp } = await import("../app/serve_http.ts");
      return await serveHttp(settings, context);
    },
    ...(Deno.stderr.isTerminal() ? { progressColumns: () => Deno.consoleSize().columns } : {}),
    ...(Deno.stdout.isTerminal() ? { columns: Deno.consoleSize().columns } : {}),
  };
}

/** A reader that has gone away is no fault of ours: `cloakbrowser-mcp --help | head -1`. */
function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let rest = new TextEncoder().encode(text);
  try {
    while (rest.length > 0) rest = rest.subarray(stream.writeSync(rest));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
