/**
 * Runs one command line: parses it, makes the settings, does what the command says, and turns every fault into one
 * message on standard error and an exit status.
 */

import { AppError, messageOf } from "../errors.ts";
import { checkPaths } from "../settings/check_paths.ts";
import { resolveSettings } from "../settings/resolve_settings.ts";
import type { ResolvedSettings, Settings } from "../settings/settings.ts";
import type { CommandLine } from "./command_line.ts";
import { PROGRAM } from "./commands.ts";
import type { Health } from "./commands/healthcheck.ts";

/** What a command line acts upon; `main.ts` of this directory makes it from the real process. */
export interface World {
  readonly env: Readonly<Record<string, string>>;
  /** Absolute working directory. */
  readonly cwd: string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Reads a whole text file; throws when it cannot. */
  readonly readTextFile: (path: string) => string;
  /** Command line of process 1 as Linux keeps it, for `healthcheck`; empty where there is none. */
  readonly firstCommandLine: () => Promise<string>;
  /** Serves until the session is over and returns the exit status. */
  readonly serve: (settings: Settings, context: ServeContext) => Promise<number>;
  /** Width of the terminal, for the help; undefined where standard output is none. */
  readonly columns?: number;
  /** Width of the terminal that standard error is, at this moment; left out where it is none. */
  readonly progressColumns?: () => number;
}

export interface ServeContext {
  readonly env: Readonly<Record<string, string>>;
  /** Sentences of the settings that a user should see. */
  readonly notices: readonly string[];
  readonly origins: ResolvedSettings["origins"];
}

/**
 * @param argv arguments without program name
 * @returns the exit status, see `exit_status.ts`
 */
export async function run(argv: readonly string[], world: World): Promise<number> {
  try {
    return await perform(await parse(argv, world), world);
  } catch (error) {
    const usable = error instanceof AppError;
    for (const line of (usable ? error.describe() : `Unexpected fault: ${messageOf(error)}`).split("\n")) {
      world.stderr(`${PROGRAM}: ${line}\n`);
    }
    return usable ? error.exitStatus : 1;
  }
}

/** Most MCP clients give no arguments; without any the parser need not be loaded, which saves 15 ms of the start. */
async function parse(argv: readonly string[], world: World): Promise<CommandLine> {
  if (argv.length === 0) return { command: "serve", flags: [], json: false };
  const { parseCommandLine } = await import("./command_line.ts");
  return parseCommandLine(argv, world.columns);
}

async function perform(line: CommandLine, world: World): Promise<number> {
  switch (line.command) {
    case "help":
      world.stdout(line.help ?? "");
      return 0;
    case "version": {
      const { versionText } = await import("./version_report.ts");
      world.stdout(versionText(line.json));
      return 0;
    }
    case "completions": {
      const { completionScript } = await import("./commands/completions.ts");
      world.stdout(completionScript(line.shell ?? "bash"));
      return 0;
    }
    case "config": {
      const { configText } = await import("./commands/config.ts");
      world.stdout(configText(await settle(line, world), line.json));
      return 0;
    }
    case "install": {
      const resolved = await settle(line, world);
      await checkPaths({ resolved, ...world });
      const { install } = await import("./commands/install.ts");
      return await install(resolved, world, line);
    }
    case "uninstall": {
      const resolved = await settle(line, world);
      const { uninstall } = await import("./commands/uninstall.ts");
      await uninstall(resolved, world);
      return 0;
    }
    case "license": {
      const resolved = await settle(line, world);
      const { license } = await import("./commands/license.ts");
      await license(resolved, world, line.licenseAction ?? "info", line.json);
      return 0;
    }
    case "doctor": {
      const { doctor } = await import("./commands/doctor.ts");
      const { flags, json, deep = false } = line;
      return await doctor({ ...world, flags, json, deep, terminal: world.columns !== undefined });
    }
    case "healthcheck": {
      const { healthStatus } = await import("./commands/healthcheck.ts");
      const health = await checkHealth(line, world);
      world.stdout(`${health.text}\n`);
      return healthStatus(health);
    }
    case "serve": {
      const resolved = await settle(line, world);
      await checkPaths({ resolved, ...world });
      const { settings, notices, origins } = resolved;
      return await world.serve(settings, { env: world.env, notices, origins });
    }
  }
}

/** Settings of the server beside us: its flags, and after them, so stronger, those of the check itself. */
async function checkHealth(line: CommandLine, world: World): Promise<Health> {
  const { healthOf, serverArguments, unhealthy } = await import("./commands/healthcheck.ts");
  try {
    const server = await parse(serverArguments(await world.firstCommandLine()), world);
    const flags = [...server.flags, ...line.flags];
    return await healthOf((await settle({ ...line, flags }, world)).settings);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return unhealthy(error.message);
  }
}

async function settle(line: CommandLine, world: World): Promise<ResolvedSettings> {
  return await resolveSettings({ flags: line.flags, ...world });
}
