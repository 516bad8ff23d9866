/**
 * The whole HTTP application as one function from request to response, so that it can be tested without a socket.
 */
import { messageOf } from "../errors.ts";
import type { Logger } from "../telemetry/log.ts";
import { VERSION } from "../version.ts";
import { createClientAddress, limitKey } from "./client_address.ts";
import { createBearerGuard } from "./guards/bearer.ts";
import { createCors } from "./guards/cors.ts";
import { createHostGuard } from "./guards/host.ts";
import { checkMethod, MCP_METHODS, PROBE_METHODS } from "./guards/method.ts";
import { createOriginGuard } from "./guards/origin.ts";
import { createPathGuard, type PathGuard, pathOf } from "./guards/path.ts";
import { type Caller, McpEndpoint } from "./mcp_endpoint.ts";
import type { Metrics } from "./metrics.ts";
import { healthResponse, metricsResponse, probeRefusal, readinessResponse } from "./probes.ts";
import { RefusalResponse, refusalResponse, refuse } from "./refusal.ts";
import type { Sessions } from "./sessions.ts";
import { shortId } from "../telemetry/short_id.ts";
import { TokenBuckets } from "./token_bucket.ts";
import { parseRate } from "../settings/rate.ts";
import { RPC_CODE } from "../protocol/json_rpc.ts";
import { readSessionOptions } from "../settings/session_options.ts";
import type { Settings } from "../settings/settings.ts";

export interface ApplicationOptions {
  readonly settings: Settings;
  readonly sessions: Sessions;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Absolute directory that relative paths of clients start from. */
  readonly cwd: string;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** @param peer the other end of the connection: an IP address, or `unix` */
export type Application = (request: Request, peer: string) => Promise<Response>;

type PathVerdict = ReturnType<PathGuard>;

/** Who owns sessions where there are no tokens. */
const EVERYBODY = "everybody";

export function createApplication(options: ApplicationOptions): Application {
  const { settings, sessions, metrics, log, now } = options;
  const startedAt = now();
  const tls = settings.httpProtocol === "https";
  const checkPath = createPathGuard(settings);
  const checkHost = createHostGuard({
    allowedHosts: settings.allowedHosts,
    httpHost: settings.httpHost,
    tls,
  });
  const checkOrigin = createOriginGuard({ allowedOrigins: settings.allowedOrigins, tls });
  const checkBearer = createBearerGuard(settings.httpAuthTokens);
  const cors = createCors(settings.allowedOrigins);
  const clientAddress = createClientAddress(settings.trustProxy);
  const buckets = (rate: string | undefined): TokenBuckets | undefined => {
    const parsed = parseRate(rate);
    return parsed === undefined ? undefined : new TokenBuckets({ rate: parsed, now });
  };
  const endpoint = new McpEndpoint({
    sessions,
    maxBodyBytes: settings.httpMaxBodyBytes,
    readOptions: (params) => readSessionOptions(params, settings.sessionOptionsAllow, options.cwd),
    sessionRate: buckets(settings.httpSessionRate),
    callRate: buckets(settings.httpCallRate),
  });
  const probes = { version: VERSION, sessions, uptimeMs: (): number => now() - startedAt };

  const answerProbe = {
    healthz: (): Response => healthResponse(probes),
    readyz: (): Response => readinessResponse(probes),
    metrics: async (): Promise<Response> => metricsResponse(await metrics.exposition()),
  } as const;

  // Whoever probes a container asks by its address, and learns little; metrics are worth reading by a page whose name
  // leads here, unless a token keeps it out.
  const openMetrics = settings.httpAuthTokens.length === 0 || settings.httpOpenProbes;

  const guards = {
    healthz: [],
    readyz: [checkOrigin],
    metrics: openMetrics ? [checkHost, checkOrigin] : [checkOrigin],
  } as const;

  const probe = async (route: keyof typeof answerProbe, request: Request): Promise<Response> => {
    for (const check of guards[route]) {
      const verdict = check(request);
      if (!verdict.ok) return refusalResponse(verdict.refusal);
    }
    if (!settings.httpOpenProbes) {
      const bearer = checkBearer(request);
      if (!bearer.ok) return probeRefusal(bearer.refusal);
    }
    const method = checkMethod(request, PROBE_METHODS);
    return method.ok ? await answerProbe[route]() : probeRefusal(method.refusal);
  };

  const answer = async (request: Request, client: string, path: PathVerdict): Promise<Response> => {
    if (path.ok && path.route !== "mcp") return await probe(path.route, request);
    for (const check of [checkHost, checkOrigin]) {
      const verdict = check(request);
      if (!verdict.ok) return refusalResponse(verdict.refusal);
    }
    if (!path.ok) return refusalResponse(path.refusal);
    const preflight = cors.preflight(request);
    if (preflight !== undefined) return preflight;
    const bearer = checkBearer(request);
    if (!bearer.ok) return refusalResponse(bearer.refusal);
    const method = checkMethod(request, MCP_METHODS);
    if (!method.ok) return refusalResponse(method.refusal);
    const caller: Caller = {
      owner: bearer.owner ?? EVERYBODY,
      client: bearer.owner ?? limitKey(client),
    };
    return await endpoint.handle(request, caller);
  };

  return async (request, peer) => {
    const from = now();
    const client = clientAddress(peer, request.headers);
    const path = checkPath(request);
    const response = await answer(request, client, path).catch((error: unknown) => internalFault(error, log));
    if (response instanceof RefusalResponse) metrics.refused(response.reason);
    metrics.answered(request.method, path.ok ? path.route : undefined, response.status);
    for (const [name, value] of Object.entries(cors.headers(request))) response.headers.set(name, value);
    log.info("http request", {
      method: request.method,
      path: pathOf(request.url),
      status: response.status,
      duration_ms: Math.round(now() - from),
      client,
      session: shortId(request.headers.get("mcp-session-id") ?? "") || undefined,
    });
    return response;
  };
}

/** The cause stays in the log; the client gets a number to find it by. */
function internalFault(error: unknown, log: Logger): Response {
  const correlation = crypto.randomUUID();
  log.error("internal fault", {
    correlation,
    cause: messageOf(error),
    stack: error instanceof Error ? error.stack : undefined,
  });
  const message = `Internal server error; the log has the cause under ${correlation}`;
  return refusalResponse(refuse(500, "internal", message, { code: RPC_CODE.internalError }).refusal);
}
