/**
 * The `healthcheck` command: one line and an exit status for container engines and process managers.
 *
 * An engine runs it beside the server, in the same environment, but does not tell it the server's arguments. In a
 * container the server is process 1, or the command of an init that is, so they are read from there.
 */

import { messageOf } from "../../errors.ts";
import { askReadiness, type Readiness, type ReadinessSettings } from "../../http/readiness_query.ts";
import type { Settings } from "../../settings/settings.ts";
import { PROGRAM } from "../commands.ts";

export interface Health {
  readonly healthy: boolean;
  /** One line. */
  readonly text: string;
}

/** Docker knows 0 and 1 only; 2 is reserved. */
export function healthStatus({ healthy }: Health): number {
  return healthy ? 0 : 1;
}

/**
 * Judges a server by its settings. Over stdio nobody but its client can ask it anything; that it runs is known to
 * whoever started it.
 */
export async function healthOf(
  settings: ReadinessSettings & Pick<Settings, "transport">,
  ask: (settings: ReadinessSettings) => Promise<Readiness> = askReadiness,
): Promise<Health> {
  if (settings.transport === "stdio") return { healthy: true, text: "healthy: stdio, nothing to ask" };
  try {
    return judge(await ask(settings));
  } catch (error) {
    return unhealthy(messageOf(error));
  }
}

export function unhealthy(cause: string): Health {
  return { healthy: false, text: `unhealthy: ${cause.replaceAll(/\s*\n\s*/g, "; ")}` };
}

/** A server without room for one more session works: to restart it would end the sessions that it serves. */
function judge({ status, body }: Readiness): Health {
  if (status === 200) return { healthy: true, text: "healthy: ready" };
  if (status === 503 && availableSessions(body) === 0) return { healthy: true, text: "healthy: full" };
  if (status === 503) return unhealthy("not ready");
  if (status === 401) return unhealthy("the server takes no token that the check knows (401)");
  return unhealthy(`/readyz answered ${status}`);
}

function availableSessions(body: string): number | undefined {
  try {
    return JSON.parse(body).sessions.available;
  } catch {
    return undefined;
  }
}

/**
 * The server's arguments out of a process's command line as Linux keeps it: words that end with NUL. What stands before
 * the program is an init. None where the process does not run this program.
 */
export function serverArguments(commandLine: string): string[] {
  const words = commandLine.split("\0").slice(0, -1);
  const program = words.findIndex((word) => word.split("/").at(-1) === PROGRAM);
  return program === -1 ? [] : words.slice(program + 1);
}

/** The command line of process 1; empty where there is no `/proc`. Deno opens that to itself only with all permissions. */
export async function readFirstCommandLine(): Promise<string> {
  try {
    const { stdout } = await new Deno.Command("cat", {
      args: ["/proc/1/cmdline"],
      stdin: "null",
      stderr: "null",
    }).output();
    return new TextDecoder().decode(stdout);
  } catch {
    return "";
  }
}
