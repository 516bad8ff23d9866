/**
 * Puts one session's bridge together: private directory, browser gate, relay and supervisor.
 */
import { AppError } from "../errors.ts";
import type { Bridge } from "../bridge/bridge.ts";
import type { ClientPort } from "../bridge/client_port.ts";
import { createLocalTools } from "../bridge/local_tools.ts";
import { Relay } from "../bridge/relay.ts";
import { createResolverGate, OPEN_GATE } from "../bridge/resolver_gate.ts";
import { createBrowserResolver } from "../browser/resolver.ts";
import type { TrafficObserver } from "../bridge/traffic_observer.ts";
import { createMemoryTrim } from "../platform/memory_trim.ts";
import { createPrivateDirectory } from "../platform/private_directory.ts";
import { withPrivateProfile } from "../browser/private_profile.ts";
import { selfCommand } from "../platform/self_command.ts";
import { secretVariables } from "../settings/secrets.ts";
import type { ResolvedSettings, Settings } from "../settings/settings.ts";
import type { Logger } from "../telemetry/log.ts";
import { buildUpstreamCommand } from "../upstream/command_line.ts";
import { UpstreamProcess } from "../upstream/process.ts";
import { readUserConfig } from "../upstream/user_config.ts";

/** Start of the name of every private directory. */
export const PRIVATE_PREFIX = "cloakbrowser-mcp-";

export interface BridgeWorld {
  readonly env: Readonly<Record<string, string>>;
  readonly tempRoot: string;
  /** Keeps secrets out of texts. */
  readonly redact: (text: string) => string;
}

export interface BridgeRequest {
  readonly settings: Settings;
  readonly origins: ResolvedSettings["origins"];
  readonly client: ClientPort;
  readonly log: Logger;
  /** Told what crosses the bridge, where somebody counts. */
  readonly observer?: TrafficObserver;
  /** Whether the browser gets a profile of this session's own, unless the settings name or forbid one. */
  readonly privateProfile?: boolean;
}

/**
 * Opens a bridge whose upstream is already on its way.
 *
 * @throws {AppError} `usage` when the temporary directory cannot be written
 */
export async function openBridge(world: BridgeWorld, request: BridgeRequest): Promise<Bridge> {
  const { env, tempRoot, redact } = world;
  const { origins, client, log } = request;
  const embedded = request.settings.upstreamCommand === undefined;
  const directory = await createPrivateDirectory({
    tempRoot,
    prefix: PRIVATE_PREFIX,
    report: (message, fields) => log.warn(message, fields),
  });
  const settings = request.privateProfile === true
    ? withPrivateProfile(
      request.settings,
      env,
      await readUserConfig(request.settings.upstreamConfigPath),
      directory.path,
    )
    : request.settings;
  const resolver = createBrowserResolver(settings, env, log, {
    readUserConfig: () => readUserConfig(settings.upstreamConfigPath),
  });
  const resolverGate = createResolverGate(resolver);
  const unusable = Promise.withResolvers<AppError>();
  const memory = createMemoryTrim();

  const launch = async (): Promise<UpstreamProcess> => {
    const marker = crypto.randomUUID();
    const command = await buildUpstreamCommand({
      settings,
      origins,
      secretNames: secretVariables(),
      env,
      plan: await resolverGate.plan(),
      privateDirectory: directory.path,
      self: selfCommand(),
      marker,
      log,
    });
    return new UpstreamProcess({ command, marker, maxMessageBytes: settings.maxMessageBytes, log, redact });
  };
  const relay: Relay = new Relay({
    client,
    log,
    embedded,
    gate: embedded ? resolverGate : OPEN_GATE,
    startTimeoutMs: settings.upstreamStartTimeoutMs,
    stopGraceMs: settings.shutdownGraceMs,
    observer: request.observer,
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
  relay.supervisor.start();
  memory.soon();
  return {
    relay,
    unusable: unusable.promise,
    async close(graceMs): Promise<void> {
      await relay.close(graceMs);
      await directory[Symbol.asyncDispose]();
    },
  };
}
