/**
 * Serves many sessions over Streamable HTTP.
 */
import { AppError, messageOf } from "../errors.ts";
import { createApplication } from "../http/application.ts";
import { createMetrics } from "../http/metrics.ts";
import { createMemoryStore } from "../http/session_store.ts";
import { type NamedBridge, Sessions, shortId } from "../http/sessions.ts";
import { TlsFiles, type TlsMaterial } from "../http/tls.ts";
import { WarmSpares } from "../http/warm_spares.ts";
import { joinPath } from "../http/guards/path.ts";
import type { ClientPort } from "../bridge/client_port.ts";
import { settlesWithin } from "../platform/deadline.ts";
import { privateRoot, sweepPrivateDirectories, temporaryRoot } from "../platform/private_directory.ts";
import { listenForEnd } from "../platform/signals.ts";
import { UNIX_PEER } from "../settings/options/http.ts";
import type { Settings } from "../settings/settings.ts";
import { UPSTREAM_VERSION, VERSION } from "../version.ts";
import type { Logger } from "../telemetry/log.ts";
import { openBridge, PRIVATE_PREFIX } from "./bridge_factory.ts";
import { openProcessLog } from "./process_log.ts";
import type { ServeContext } from "./serve_stdio.ts";

/** How much of the grace running calls may use before browsers are closed. */
const DRAIN_SHARE = 0.5;

/** Closing the listener waits for connections; those of clients that do not go are cut. */
const LISTENER_CLOSE_MS = 500;

/**
 * @returns the exit status, when nothing is left running
 * @throws {AppError} where the server cannot start
 */
export async function serveHttp(settings: Settings, context: ServeContext): Promise<number> {
  const { env, notices, origins } = context;
  const { log, redact, flush } = openProcessLog(settings, notices);
  const tempRoot = await privateRoot(temporaryRoot(env));
  using signals = listenForEnd((exitStatus) => Deno.exit(exitStatus));
  const tls = settings.httpProtocol === "https" ? (await TlsFiles.load(settings)).current : undefined;

  const metrics = createMetrics({
    version: VERSION,
    // Which upstream an operator's own command starts is not for us to say.
    upstreamVersion: settings.upstreamCommand === undefined ? UPSTREAM_VERSION : "unknown",
    denoVersion: Deno.version.deno,
    startedAtMs: performance.timeOrigin,
    residentBytes: () => Deno.memoryUsage().rss,
  });

  const open = async (client: ClientPort): Promise<NamedBridge> => {
    const id = crypto.randomUUID();
    const bridge = await openBridge({ env, tempRoot, redact }, {
      settings,
      origins,
      client,
      log: log.with({ session: shortId(id) }),
      observer: metrics,
      privateProfile: true,
    });
    return { id, bridge };
  };
  const spares = new WarmSpares({
    count: settings.httpWarmSpares,
    open,
    closeGraceMs: settings.shutdownGraceMs,
    log,
  });
  const sessions = new Sessions({
    store: createMemoryStore(),
    max: settings.httpSessionMax,
    maxPerClient: settings.httpSessionPerClientMax,
    idleTtlMs: settings.httpSessionIdleTtlMs,
    keepaliveMs: settings.httpKeepaliveMs,
    closeGraceMs: settings.shutdownGraceMs * DRAIN_SHARE,
    open: (client) => Promise.resolve(spares.take(client) ?? open(client)),
    log,
    now: () => performance.now(),
    observer: metrics,
  });
  metrics.watch({
    sessionLimit: settings.httpSessionMax,
    sessions: (state) => sessions.count(state),
    upstreams: (use) => use === "session" ? sessions.upstreamCount() : spares.upstreamCount(),
  });
  const application = createApplication({ settings, sessions, metrics, log, now: () => performance.now() });
  try {
    const server = listen(settings, tls, (request, info) => application(request, peerOf(info)));
    announce(settings, server, log);
    void sweepPrivateDirectories(tempRoot, PRIVATE_PREFIX, (message, fields) => log.warn(message, fields));
    log.info("ending", { reason: `got ${await signals.first}` });
    await sessions.drain(settings.shutdownGraceMs * DRAIN_SHARE);
    await settlesWithin(server.shutdown(), LISTENER_CLOSE_MS);
  } finally {
    await spares.close();
  }
  await flush();
  return 0;
}

type Handler = (request: Request, info: Deno.ServeHandlerInfo<Deno.Addr>) => Promise<Response>;

/** @throws {AppError} `cannot_bind` */
function listen(
  settings: Settings,
  tls: TlsMaterial | undefined,
  handler: Handler,
): Deno.HttpServer<Deno.Addr> {
  const onListen = (): void => {};
  const { httpHost, httpPort, httpSocket } = settings;
  try {
    if (httpSocket !== undefined) {
      const server = Deno.serve({ path: httpSocket, onListen }, handler);
      Deno.chmodSync(httpSocket, 0o600);
      return server;
    }
    const address = { hostname: httpHost, port: httpPort, onListen };
    return tls === undefined
      ? Deno.serve(address, handler)
      : Deno.serve({ ...address, cert: tls.cert, key: tls.key }, handler);
  } catch (cause) {
    const where = httpSocket ?? `${httpHost}:${httpPort}`;
    throw new AppError("cannot_bind", `Cannot listen on "${where}": ${messageOf(cause)}`, {
      remedy: "Stop what listens there, or choose another --http-port (0 for any free one)",
      cause,
    });
  }
}

function peerOf({ remoteAddr }: Deno.ServeHandlerInfo<Deno.Addr>): string {
  return "hostname" in remoteAddr ? remoteAddr.hostname : UNIX_PEER;
}

/** Says where the server listens, and what to paste into a client's configuration. */
function announce(settings: Settings, server: Deno.HttpServer<Deno.Addr>, log: Logger): void {
  const path = joinPath(settings.httpBasePath, settings.httpEndpoint);
  if (!("port" in server.addr)) {
    log.info("streamable-http listening", { socket: settings.httpSocket, path });
    return;
  }
  const host = settings.httpHost.includes(":") ? `[${settings.httpHost}]` : settings.httpHost;
  const url = `${settings.httpProtocol}://${host}:${server.addr.port}${path}`;
  log.info("streamable-http listening", { url });
  const headers = settings.httpAuthTokens.length > 0 ? { headers: { Authorization: "Bearer <token>" } } : {};
  log.info("client configuration", {
    json: JSON.stringify({ mcpServers: { browser: { url, ...headers } } }),
  });
}
