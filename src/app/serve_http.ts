/**
 * Serves many sessions over Streamable HTTP.
 */
import { createApplication } from "../http/application.ts";
import { CertificateRenewal } from "../http/certificate_renewal.ts";
import { Listener } from "../http/listener.ts";
import { createMemoryStore } from "../http/session_store.ts";
import { type NamedBridge, Sessions, shortId } from "../http/sessions.ts";
import { TlsFiles } from "../http/tls.ts";
import { WarmSpares } from "../http/warm_spares.ts";
import { joinPath } from "../http/guards/path.ts";
import type { ClientPort } from "../bridge/client_port.ts";
import { privateRoot, sweepPrivateDirectories, temporaryRoot } from "../platform/private_directory.ts";
import { listenForEnd } from "../platform/signals.ts";
import { UNIX_PEER } from "../settings/options/http.ts";
import type { Settings } from "../settings/settings.ts";
import type { Logger } from "../telemetry/log.ts";
import { openBridge, PRIVATE_PREFIX } from "./bridge_factory.ts";
import { openProcessLog } from "./process_log.ts";
import type { ServeContext } from "./serve_stdio.ts";

/** How much of the grace running calls may use before browsers are closed. */
const DRAIN_SHARE = 0.5;

/**
 * @returns the exit status, when nothing is left running
 * @throws {AppError} where the server cannot start
 */
export async function serveHttp(settings: Settings, context: ServeContext): Promise<number> {
  const { env, notices, origins } = context;
  const { log, redact, flush } = openProcessLog(settings, notices);
  const tempRoot = await privateRoot(temporaryRoot(env));
  using signals = listenForEnd((exitStatus) => Deno.exit(exitStatus));
  const tls = settings.httpProtocol === "https" ? await TlsFiles.load(settings) : undefined;

  const open = async (client: ClientPort): Promise<NamedBridge> => {
    const id = crypto.randomUUID();
    const bridge = await openBridge({ env, tempRoot, redact }, {
      settings,
      origins,
      client,
      log: log.with({ session: shortId(id) }),
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
  });
  const application = createApplication({ settings, sessions, log, now: () => performance.now() });
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
    await sessions.drain(settings.shutdownGraceMs * DRAIN_SHARE);
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
  log.info("client configuration", {
    json: JSON.stringify({ mcpServers: { browser: { url, ...headers } } }),
  });
}
