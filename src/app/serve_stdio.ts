/**
 * Serves one session on standard input and output.
 */
import { shortId } from "../telemetry/short_id.ts";
import { settlesWithin } from "../platform/deadline.ts";
import { privateRoot, sweepPrivateDirectories, temporaryRoot } from "../platform/private_directory.ts";
import { listenForEnd } from "../platform/signals.ts";
import type { ResolvedSettings, Settings } from "../settings/settings.ts";
import { createStdioClient } from "../stdio/client.ts";
import { serve } from "../stdio/serve.ts";
import type { PortPool } from "../cdp/port_pool.ts";
import { canUseCdp } from "../settings/cdp_rules.ts";
import { openBridge, PRIVATE_PREFIX } from "./bridge_factory.ts";
import { VirtualDisplay } from "../platform/virtual_display.ts";
import { openProcessLog } from "./process_log.ts";

/** How long finding and killing processes may hold up the answer to a second signal. */
export const KILL_MS = 1000;

/** A client that restarts its server starts the new one before the old one has closed its browser. */
const PROFILE_WAIT_MS = 4000;

export interface ServeContext {
  readonly env: Readonly<Record<string, string>>;
  /** Sentences of the settings that a user should see; logged at `warn`. */
  readonly notices: readonly string[];
  /** Where each setting came from. */
  readonly origins: ResolvedSettings["origins"];
}

/**
 * @returns the exit status, when nothing is left running
 * @throws {AppError} where the session cannot start: settings that cannot work, an unwritable temporary directory
 */
export async function serveStdio(settings: Settings, context: ServeContext): Promise<number> {
  const { env, notices, origins } = context;
  const { log: processLog, redact, flush } = openProcessLog(settings, notices, env);
  const log = processLog.with({ session: "stdio" });
  const tempRoot = await privateRoot(temporaryRoot(env));
  const client = createStdioClient({
    input: Deno.stdin.readable,
    write: (bytes) => Deno.stdout.write(bytes),
  });
  let kill = (): Promise<void> => Promise.resolve();
  using signals = listenForEnd(async (exitStatus) => {
    await settlesWithin(kill(), KILL_MS);
    Deno.exit(exitStatus);
  });
  const display = new VirtualDisplay({ tempRoot, prefix: PRIVATE_PREFIX });
  const bridge = await openBridge({ tempRoot, display, redact, cdpPorts: await cdpPorts(settings) }, {
    configuration: { settings, origins, env },
    client,
    log,
    session: "stdio",
    profileWaitMs: PROFILE_WAIT_MS,
    ...(settings.downloads === "session-dir" ? { outputName: shortId(crypto.randomUUID()) } : {}),
  });
  kill = () => bridge.relay.supervisor.kill();
  void sweepPrivateDirectories(tempRoot, PRIVATE_PREFIX, (message, fields) => log.warn(message, fields));
  const fault = await serve({
    client,
    bridge,
    log,
    maxMessageBytes: settings.maxMessageBytes,
    asked: signals.first,
    drainTimeoutMs: settings.drainTimeoutMs,
    shutdownGraceMs: settings.shutdownGraceMs,
  });
  await flush();
  if (fault !== undefined) throw fault;
  return 0;
}

/** Its code is not waited for where no session can have a port. */
async function cdpPorts(settings: Settings): Promise<PortPool | undefined> {
  return canUseCdp(settings) ? await (await import("./cdp_ports.ts")).openPortPool(settings) : undefined;
}
