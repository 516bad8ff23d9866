/**
 * Serves many sessions over Streamable HTTP.
 */
import { createApplication } from "../http/application.ts";
import { CertificateRenewal } from "../http/certificate_renewal.ts";
import { Listener } from "../http/listener.ts";
import { createMetrics } from "../http/metrics.ts";
import { createMemoryStore } from "../http/session_store.ts";
import { type NamedBridge, Sessions } from "../http/sessions.ts";
import { shortId } from "../telemetry/short_id.ts";
import { TlsFiles } from "../http/tls.ts";
import { WarmSpares } from "../http/warm_spares.ts";
import { joinPath } from "../http/guards/path.ts";
import type { ClientPort } from "../bridge/client_port.ts";
import { checkLaunchConflicts } from "../browser/launch_conflicts.ts";
import { keptProfile } from "../browser/private_profile.ts";
import { availableMemory } from "../platform/available_memory.ts";
import { settlesWithin } from "../platform/deadline.ts";
import { privateRoot, sweepPrivateDirectories, temporaryRoot } from "../platform/private_directory.ts";
import { VirtualDisplay } from "../platform/virtual_display.ts";
import { listenForEnd } from "../platform/signals.ts";
import { UNIX_PEER } from "../settings/options/http.ts";
import {
  type Configuration,
  isEmpty,
  NO_SESSION_OPTIONS,
  type SessionOptions,
  withSessionOptions,
} from "../settings/session_options.ts";
import type { Settings } from "../settings/settings.ts";
import { UPSTREAM_VERSION, VERSION } from "../version.ts";
import type { Logger } from "../telemetry/log.ts";
import { readUserConfig } from "../upstream/user_config.ts";
import { openPortPool } from "./cdp_ports.ts";
import { openBridge, PRIVATE_PREFIX } from "./bridge_factory.ts";
import { openProcessLog } from "./process_log.ts";
import { KILL_MS, type ServeContext } from "./serve_stdio.ts";

/** How much of the grace running calls may use before browsers are closed. */
const DRAIN_SHARE = 0.5;

/** Of the fields that a client made up, in characters. */
const LONGEST_LOGGED_NAMES = 200;

/**
 * @returns the exit status, when nothing is left running
 * @throws {AppError} where the server cannot start
 */
export async function serveHttp(settings: Settings, context: ServeContext): Promise<number> {
  const { env, notices, origins } = context;
  const { log, redact, flush } = openProcessLog(settings, notices, env);
  const tempRoot = await privateRoot(temporaryRoot(env));
  let kill = (): Promise<unknown> => Promise.resolve();
  using signals = listenForEnd(async (exitStatus) => {
    await settlesWithin(kill(), KILL_MS);
    Deno.exit(exitStatus);
  });
  const tls = settings.httpProtocol === "https" ? await TlsFiles.load(settings) : undefined;

  const config = await readUserConfig(settings.upstreamConfigPath);
  // Each session would be refused for it; the operator should learn of it first.
  if (settings.upstreamCommand === undefined) {
    checkLaunchConflicts(settings, { upstreamArgs: settings.upstreamArgs, env, config });
  }
  const cdpPorts = await openPortPool(settings);
  const common: Configuration = { settings, origins, env };
  const metrics = createMetrics({
    version: VERSION,
    // Which upstream an operator's own command starts is not for us to say.
    upstreamVersion: settings.upstreamCommand === undefined ? UPSTREAM_VERSION : "unknown",
    denoVersion: Deno.version.deno,
    startedAtMs: performance.timeOrigin,
    residentBytes: () => Deno.memoryUsage().rss,
  });
  const display = new VirtualDisplay({ tempRoot, prefix: PRIVATE_PREFIX });
  const open = async (client: ClientPort, options: SessionOptions): Promise<NamedBridge> => {
    const id = crypto.randomUUID();
    const bridge = await openBridge({ tempRoot, display, redact, cdpPorts }, {
      configuration: withSessionOptions(common, options),
      client,
      log: log.with({ session: shortId(id) }),
      session: shortId(id),
      observer: metrics,
      privateProfile: true,
      ...(settings.downloads === "allow" ? {} : { outputName: shortId(id) }),
    });
    const fault = await Promise.race([bridge.unusable, bridge.started]);
    if (fault === undefined) return { id, bridge };
    await bridge.close(0);
    throw fault;
  };
  // A spare would hold the one profile that there is, or the port of a CDP address.
  const kept = keptProfile(settings, env, config);
  const spares = new WarmSpares({
    count: kept === undefined && !settings.cdpEnabled ? settings.httpWarmSpares : 0,
    open: (client) => open(client, NO_SESSION_OPTIONS),
    closeGraceMs: settings.shutdownGraceMs * DRAIN_SHARE,
    availableMemory,
    log,
  });
  const sessions = new Sessions({
    store: createMemoryStore(),
    max: settings.httpSessionMax,
    maxPerClient: settings.httpSessionPerClientMax,
    idleTtlMs: settings.httpSessionIdleTtlMs,
    keepaliveMs: settings.httpKeepaliveMs,
    closeGraceMs: settings.shutdownGraceMs * DRAIN_SHARE,
    open: async (client, options) => {
      const spare = isEmpty(options) ? spares.take(client) : undefined;
      const named = spare ?? await open(client, options);
      if (options.ignored.length > 0) {
        log.warn("ignored unknown session options", {
          session: shortId(named.id),
          fields: options.ignored.join(" ").slice(0, LONGEST_LOGGED_NAMES),
        });
      }
      return named;
    },
    log,
    now: () => performance.now(),
    observer: metrics,
  });
  kill = () => Promise.all([sessions.kill(), spares.kill()]);
  metrics.watch({
    sessionLimit: settings.httpSessionMax,
    sessions: (state) => sessions.count(state),
    upstreams: (use) => use === "session" ? sessions.upstreamCount() : spares.upstreamCount(),
  });
  const application = createApplication({
    settings,
    sessions,
    metrics,
    log,
    cwd: Deno.cwd(),
    now: () => performance.now(),
  });
  try {
    const listener = await Listener.open(
      settings,
      tls?.current,
      (request, info) => application(request, peerOf(info)),
    );
    announce(settings, listener.addr, log);
    await using _renewal = tls && new CertificateRenewal({
      files: tls,
      serve: (material) => listener.renew(material),
      log,
      now: Date.now,
    });
    void sweepPrivateDirectories(tempRoot, PRIVATE_PREFIX, (message, fields) => log.warn(message, fields));
    log.info("ending", { reason: `got ${await signals.first}` });
    await Promise.all([sessions.drain(settings.shutdownGraceMs * DRAIN_SHARE), spares.close()]);
    await listener.close();
  } finally {
    await spares.close();
  }
  await flush();
  return 0;
}

function peerOf({ remoteAddr }: Deno.ServeHandlerInfo<Deno.Addr>): string {
  return "hostname" in remoteAddr ? remoteAddr.hostname : UNIX_PEER;
}

/** Says where the server listens, and what to paste into a client's configuration. */
function announce(settings: Settings, addr: Deno.Addr, log: Logger): void {
  const path = joinPath(settings.httpBasePath, settings.httpEndpoint);
  if (!("port" in addr)) {
    log.info("streamable-http listening", { socket: settings.httpSocket, path });
    return;
  }
  const host = settings.httpHost.includes(":") ? `[${settings.httpHost}]` : settings.httpHost;
  const url = `${settings.httpProtocol}://${host}:${addr.port}${path}`;
  log.info("streamable-http listening", { url });
  const headers = settings.httpAuthTokens.length > 0 ? { headers: { Authorization: "Bearer <token>" } } : {};
  // In the message, because a field would have its quotes escaped and could not be pasted.
  log.info(`client configuration: ${JSON.stringify({ mcpServers: { browser: { url, ...headers } } })}`);
}
