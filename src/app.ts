/**
 * Composition root: settings and the outside world become a running server.
 */
import { AppError, messageOf } from "./errors.ts";
import { createBrowserResolver } from "./browser/resolver.ts";

import { createLocalTools } from "./bridge/local_tools.ts";
import { Relay } from "./bridge/relay.ts";
import { createResolverGate, OPEN_GATE } from "./bridge/resolver_gate.ts";
import { sendConsoleToLog } from "./telemetry/console_capture.ts";
import { createMemoryTrim } from "./platform/memory_trim.ts";
import { settlesWithin } from "./platform/deadline.ts";
import {
  createPrivateDirectory,
  privateRoot,
  sweepPrivateDirectories,
  temporaryRoot,
} from "./platform/private_directory.ts";
import { selfCommand } from "./platform/self_command.ts";
import { listenForEnd } from "./platform/signals.ts";
import type { ResolvedSettings, Settings } from "./settings/settings.ts";
import { createStdioClient } from "./stdio/client.ts";
import { serve } from "./stdio/serve.ts";
import { createLogger, type Logger } from "./telemetry/log.ts";
import { createStderrSink } from "./telemetry/stderr_sink.ts";
import { createRedactor } from "./telemetry/redact.ts";
import { secretValues, secretVariables } from "./settings/secrets.ts";
import { buildUpstreamCommand } from "./upstream/command_line.ts";
import { readUserConfig } from "./upstream/user_config.ts";
import { UpstreamProcess } from "./upstream/process.ts";

const PRIVATE_PREFIX = "cloakbrowser-mcp-";

/** How long finding and killing processes may hold up the answer to a second signal. */
const KILL_MS = 1000;

/** How long the last log lines may take to leave when nobody reads them. */
const LAST_LINES_MS = 200;

export interface ServeContext {
  readonly env: Readonly<Record<string, string>>;
  /** Sentences of the settings that a user should see; logged at `warn`. */
  readonly notices: readonly string[];
  /** Where each setting came from. */
  readonly origins: ResolvedSettings["origins"];
}

/**
 * Serves one MCP session on standard input and output.
 *
 * @returns the exit status, when nothing is left running
 * @throws {AppError} where the session cannot start: settings that cannot work, an unwritable temporary directory
 */
export async function serveStdio(settings: Settings, context: ServeContext): Promise<number> {
  const { env } = context;
  const redact = createRedactor(secretValues(settings));
  const stderr = createStderrSink((bytes) => Deno.stderr.write(bytes));
  const log = createLogger({
    level: settings.logLevel,
    format: settings.logFormat,
    write: (line) => stderr.write(redact(line)),
  }).with({ session: "stdio" });
  sendConsoleToLog(log);
  surviveRejections(log);
  for (const notice of context.notices) log.warn(notice);

  const embedded = settings.upstreamCommand === undefined;
  const tempRoot = await privateRoot(temporaryRoot(env));
  const report = (message: string, fields: { path: string; cause: string }): void =>
    log.warn(message, fields);
  await using directory = await createPrivateDirectory({ tempRoot, prefix: PRIVATE_PREFIX, report });
  const resolver = createBrowserResolver(settings, env, log, {
    readUserConfig: () => readUserConfig(settings.upstreamConfigPath),
  });
  const resolverGate = createResolverGate(resolver);
  const self = selfCommand();

  const client = createStdioClient({
    input: Deno.stdin.readable,
    write: (bytes) => Deno.stdout.write(bytes),
  });
  const launch = async (): Promise<UpstreamProcess> => {
    const marker = crypto.randomUUID();
    const command = await buildUpstreamCommand({
      settings,
      origins: context.origins,
      secretNames: secretVariables(),
      env,
      plan: await resolverGate.plan(),
      privateDirectory: directory.path,
      self,
      marker,
      log,
    });
    return new UpstreamProcess({ command, marker, maxMessageBytes: settings.maxMessageBytes, log, redact });
  };
  const unusable = Promise.withResolvers<AppError>();
  const memory = createMemoryTrim();
  const relay = new Relay({
    client,
    log,
    embedded,
    gate: embedded ? resolverGate : OPEN_GATE,
    startTimeoutMs: settings.upstreamStartTimeoutMs,
    stopGraceMs: settings.shutdownGraceMs,
    onTraffic: (bytes) => memory.afterMessage(bytes),
    localTools: (relay) =>
      createLocalTools({
        browserEngine: settings.browserEngine,
        replacedUpstream: !embedded,
        binary: async () => ({ ...await resolver.info() }),
        upstream: () => ({
          state: relay.supervisor.state,
          generation: relay.supervisor.number,
          pid: relay.supervisor.pid,
          toolCount: relay.tools.toolCount,
        }),
      }),
    launch: async (generation) => {
      try {
        return await launch();
      } catch (error) {
        // Settings that no later start can make work, found before anything has run: tell the user, not the agent.
        if (generation === 1 && error instanceof AppError && error.code === "usage") unusable.resolve(error);
        throw error;
      }
    },
  });
  using signals = listenForEnd(async (exitStatus) => {
    await settlesWithin(relay.supervisor.kill(), KILL_MS);
    Deno.exit(exitStatus);
  });
  relay.supervisor.start();
  memory.soon();
  void sweepPrivateDirectories(tempRoot, PRIVATE_PREFIX, report);
  const fault = await serve({
    client,
    relay,
    log,
    maxMessageBytes: settings.maxMessageBytes,
    asked: signals.first,
    unusable: unusable.promise,
    drainTimeoutMs: settings.drainTimeoutMs,
    shutdownGraceMs: settings.shutdownGraceMs,
  });
  await settlesWithin(stderr.flushed(), LAST_LINES_MS);
  if (fault !== undefined) throw fault;
  return 0;
}

/** A forgotten promise is a bug to be logged, not a reason to drop a live browser. */
function surviveRejections(log: Logger): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log.error("unhandled rejection", { cause: messageOf(event.reason) });
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log.error("uncaught error", { cause: messageOf(event.error) });
  });
}
