/**
 * Puts one session's bridge together: private directory, browser gate, relay and supervisor.
 */
import { AppError } from "../errors.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { BrowserLimitWatch } from "../bridge/browser_limits.ts";
import type { ClientPort } from "../bridge/client_port.ts";
import { createLocalTools } from "../bridge/local_tools.ts";
import { Relay } from "../bridge/relay.ts";
import { createResolverGate, OPEN_GATE } from "../bridge/resolver_gate.ts";
import { checkExtensions } from "../browser/extensions.ts";
import { checkLaunchConflicts } from "../browser/launch_conflicts.ts";
import { createLaunchBuilder } from "../browser/launch_builder.ts";
import { shapedLaunch } from "../browser/shaped_launch.ts";
import type { BrowserPlan } from "../browser/browser_plan.ts";
import { createBrowserResolver } from "../browser/resolver.ts";
import type { TrafficObserver } from "../bridge/traffic_observer.ts";
import { createMemoryTrim } from "../platform/memory_trim.ts";
import { memoryOf } from "../platform/process_tree.ts";
import { createPrivateDirectory } from "../platform/private_directory.ts";
import type { DisplayLease, VirtualDisplay } from "../platform/virtual_display.ts";
import { keptProfile, withPrivateProfile } from "../browser/private_profile.ts";
import { profilePlace, reportProfile } from "../browser/profile_report.ts";
import { lockProfile } from "../browser/profile_lock.ts";
import { clearUpstreamProfiles } from "../browser/upstream_profiles.ts";
import { withSessionOutput } from "../browser/session_output.ts";
import { withDevTools } from "./dev_tools.ts";
import type { SessionCdp, SessionCdpOptions } from "./session_cdp.ts";
import { selfCommand } from "../platform/self_command.ts";
import { secretVariables } from "../settings/secrets.ts";
import type { PortPool } from "../cdp/port_pool.ts";
import type { Configuration } from "../settings/session_options.ts";
import type { Settings } from "../settings/settings.ts";
import type { JsonObject } from "../browser/upstream_option.ts";
import type { Logger } from "../telemetry/log.ts";
import { buildUpstreamCommand } from "../upstream/command_line.ts";
import { reportPageFeatures } from "../upstream/page_features.ts";
import { UpstreamProcess } from "../upstream/process.ts";
import { readUserConfig } from "../upstream/user_config.ts";

/** Start of the name of every private directory. */
export const PRIVATE_PREFIX = "cloakbrowser-mcp-";

const MIB = 1024 * 1024;

export interface BridgeWorld {
  readonly tempRoot: string;
  /** For browsers that have a window. */
  readonly display: VirtualDisplay;
  /** Where sessions get the ports of their CDP addresses; undefined where none may have one. */
  readonly cdpPorts?: PortPool | undefined;
  /** Keeps secrets out of texts. */
  readonly redact: (text: string) => string;
}

export interface BridgeRequest {
  readonly configuration: Configuration;
  readonly client: ClientPort;
  readonly log: Logger;
  /** What a kept profile names as its owner. */
  readonly session: string;
  /** Told what crosses the bridge, where somebody counts. */
  readonly observer?: TrafficObserver;
  /** Whether the browser gets a profile of this session's own, unless the settings name or forbid one. */
  readonly privateProfile?: boolean;
  /** How long the former owner of a kept profile may need to come to its end. */
  readonly profileWaitMs?: number;
  /** Name of a directory for the files of this session alone, below the output directory. */
  readonly outputName?: string;
}

/**
 * Opens a bridge whose upstream is already on its way.
 *
 * @throws {AppError} `usage` when the temporary directory or the profile cannot be written, `locked` for a profile in
 * use
 */
export async function openBridge(world: BridgeWorld, request: BridgeRequest): Promise<Bridge> {
  const { tempRoot, redact } = world;
  const { client, log } = request;
  const { origins, env } = request.configuration;
  const embedded = request.configuration.settings.upstreamCommand === undefined;
  await using resources = new AsyncDisposableStack();
  const directory = resources.use(
    await createPrivateDirectory({
      tempRoot,
      prefix: PRIVATE_PREFIX,
      report: (message, fields) => log.warn(message, fields),
    }),
  );
  const config = await readUserConfig(request.configuration.settings.upstreamConfigPath);
  if (embedded) {
    const { settings: { upstreamArgs }, env } = request.configuration;
    checkLaunchConflicts(request.configuration.settings, { upstreamArgs, env, config });
  }
  const settings = await sessionSettings(request, config, directory.path);
  const kept = embedded ? keptProfile(request.configuration.settings, env, config) : undefined;
  const lock = kept === undefined
    ? undefined
    : resources.use(await lockProfile(kept, { session: request.session }, request.profileWaitMs ?? 0));
  if (embedded && lock === undefined && request.privateProfile !== true) await clearUpstreamProfiles(env);
  const place = profilePlace(request.configuration.settings, settings, env, config, lock?.path);
  const session = settings.cdpEnabled && world.cdpPorts !== undefined
    ? await openCdp({
      pool: world.cdpPorts,
      settings,
      log,
      onChange: () => relay.toolsChanged(),
      onLost: (generation) => relay.browserLost(generation),
    })
    : undefined;
  // The port is given back last, whatever fails on the way.
  if (session !== undefined) resources.defer(() => session.cdp.release());
  const sources = { upstreamArgs: settings.upstreamArgs, env, config };
  if (embedded) await checkExtensions(settings, sources);
  const build = createLaunchBuilder(settings, log);
  const found = createBrowserResolver(settings, env, log, {
    readUserConfig: () => readUserConfig(settings.upstreamConfigPath),
  });
  const resolver = shapedLaunch(found, {
    settings,
    sources,
    build,
    matchPlace: async (request) =>
      await (await import("../browser/geoip_match.ts")).createPlaceMatch(build)(request),
    log,
  });
  const resolverGate = createResolverGate(resolver);
  const display = resources.use(world.display.lease());
  const unusable = Promise.withResolvers<AppError>();
  const started = Promise.withResolvers<void>();
  const memory = createMemoryTrim();
  let plan: BrowserPlan | undefined;

  const launch = async (generation: number): Promise<UpstreamProcess> => {
    const marker = crypto.randomUUID();
    plan = await resolverGate.plan();
    const command = await buildUpstreamCommand({
      settings,
      origins,
      secretNames: secretVariables(),
      env,
      plan,
      privateDirectory: directory.path,
      self: selfCommand(),
      marker,
      log,
      managedCdp: session !== undefined,
      display: () =>
        displayVariables(settings.virtualDisplay, env, display, () => relay.browserLost(generation)),
    });
    return new UpstreamProcess({
      command,
      marker,
      maxMessageBytes: settings.maxMessageBytes,
      log,
      redact,
    });
  };
  const relay: Relay = new Relay({
    client,
    log,
    embedded,
    gate: embedded ? resolverGate : OPEN_GATE,
    startTimeoutMs: settings.upstreamStartTimeoutMs,
    stopGraceMs: settings.shutdownGraceMs,
    observer: request.observer,
    preparer: session && {
      prepare: (browser) => session.cdp.prepare(browser),
      lost: () => session.cdp.invalidate(),
    },
    limits: new BrowserLimitWatch({
      maxAgeMs: settings.browserMaxAge,
      maxBytes: settings.browserMaxMemory === undefined ? undefined : settings.browserMaxMemory * MIB,
      maxPages: settings.maxPages,
      usedBytes: memoryOf,
      now: () => performance.now(),
    }),
    missingLibraries: async () => await missingLibraries((await resolver.info()).executablePath, env),
    onTraffic: (bytes) => memory.afterMessage(bytes),
    localTools: (relay) =>
      createLocalTools({
        browserEngine: settings.browserEngine,
        replacedUpstream: !embedded,
        cdp: () => session?.cdp.report() ?? { enabled: false },
        profile: () => reportProfile(place),
        pageFeatures: () =>
          reportPageFeatures(directory.path, settings, {
            engine: plan?.engine,
            embedded,
            runs: relay.supervisor.state === "ready",
          }),
        downloads: () => reportDownloads(settings, embedded, request.outputName !== undefined),
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
        return await launch(generation);
      } catch (error) {
        // Settings that no later start can make work, found before anything has run: tell the user, not the agent.
        if (generation === 1 && error instanceof AppError && error.code === "usage") unusable.resolve(error);
        throw error;
      } finally {
        started.resolve();
      }
    },
  });
  relay.supervisor.start();
  memory.soon();
  const owned = resources.move();
  return {
    relay,
    unusable: unusable.promise,
    started: started.promise,
    cdpTrafficAt: () => session?.trafficAt(),
    async close(graceMs, why): Promise<void> {
      // Nobody gets in any more before the browser is ended.
      session?.cdp.stop();
      try {
        await relay.close(graceMs, why);
      } finally {
        await owned.disposeAsync();
      }
    },
  };
}

/** Most sessions have none, and need not wait for its code. */
async function openCdp(options: SessionCdpOptions): Promise<SessionCdp> {
  return (await import("./session_cdp.ts")).openSessionCdp(options);
}

/** What the loader looks for in vain; nothing where that cannot be told. Code that a working browser never needs. */
async function missingLibraries(
  executablePath: string | null,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  if (executablePath === null || Deno.build.os !== "linux") return [];
  const { listLibraries } = await import("../doctor/browser_libraries.ts");
  const libraries = await listLibraries(executablePath, env, new AbortController().signal);
  return libraries.kind === "listed" ? libraries.missing : [];
}

/** A replaced upstream knows nothing of these settings. */
function reportDownloads(
  { downloads, downloadMaxBytes }: Settings,
  embedded: boolean,
  ownDirectory: boolean,
): JsonObject {
  if (!embedded) return { mode: null, maxBytes: null };
  return { mode: downloads ?? (ownDirectory ? "session-dir" : "allow"), maxBytes: downloadMaxBytes ?? null };
}

/** What points the browser to its display; nothing where it finds one by itself. */
async function displayVariables(
  when: Settings["virtualDisplay"],
  env: Readonly<Record<string, string>>,
  virtual: DisplayLease,
  onLost: () => void,
): Promise<Readonly<Record<string, string | undefined>>> {
  const usual = Deno.build.os !== "linux" || Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
  if (when === "never" || (when === "auto" && usual)) return {};
  const { environment, ended } = await virtual.running();
  // Upstream would start its next browser on the display that it knows.
  void ended.then(onLost);
  return { ...environment, WAYLAND_DISPLAY: undefined };
}

/** The settings with what is this session's alone. */
async function sessionSettings(
  { configuration, privateProfile, outputName }: BridgeRequest,
  config: JsonObject,
  directory: string,
): Promise<Settings> {
  const { env } = configuration;
  const settings = withDevTools(configuration, config);
  const own = privateProfile === true ? withPrivateProfile(settings, env, config, directory) : settings;
  return outputName === undefined ? own : await withSessionOutput(own, env, config, outputName);
}
