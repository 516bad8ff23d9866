/**
 * Gives one session its CDP address: a leased port, the endpoint on it, and what makes its capability.
 */
import { conflictingDebuggingArgument } from "../browser/debugging_arguments.ts";
import { upstreamChoice } from "../browser/upstream_choice.ts";
import { type JsonObject, valueAt } from "../browser/upstream_option.ts";
import { CdpEndpoint } from "../cdp/endpoint.ts";
import { ManagedCdp } from "../cdp/managed_cdp.ts";
import { OBSERVING_METHODS } from "../cdp/observing_methods.ts";
import type { PortPool } from "../cdp/port_pool.ts";
import { AppError } from "../errors.ts";
import { cdpEnabledProblems } from "../settings/cdp_rules.ts";
import type { Configuration } from "../settings/session_options.ts";
import type { Settings } from "../settings/settings.ts";
import type { Logger } from "../telemetry/log.ts";
import { advertisedAddress } from "./cdp_ports.ts";

export interface SessionCdp {
  readonly cdp: ManagedCdp;
  /** When a CDP client last moved something; undefined where none has. */
  readonly trafficAt: () => number | undefined;
}

export interface SessionCdpOptions {
  readonly pool: PortPool;
  readonly settings: Settings;
  readonly log: Logger;
  readonly onChange: () => void;
  readonly onLost: (generation: number) => void;
}

/** Chromium chooses a free port and writes it into its profile. */
const DEBUGGING_ARGUMENT = "--remote-debugging-port=0";

/**
 * The session's settings with DevTools on; the same where it wants no CDP.
 *
 * @param config the user's configuration of upstream
 * @throws {AppError} `usage` where something that the user has set leaves no browser or no port of ours
 */
export function withDevTools(configuration: Configuration, config: JsonObject): Settings {
  const { settings, origins, env } = configuration;
  if (!settings.cdpEnabled) return settings;
  const problems = cdpEnabledProblems(settings, origins);
  const choice = upstreamChoice({ upstreamArgs: settings.upstreamArgs, env, config });
  if (choice?.kind === "attach" || choice?.kind === "other_browser") {
    problems.push(`Managed CDP conflicts with ${choice.origin}: it needs a Chromium that is started here`);
  }
  const theirs = valueAt(config, "browser.launchOptions.args");
  const conflict = conflictingDebuggingArgument([
    ...settings.extraArgs,
    ...(Array.isArray(theirs) ? theirs.map(String) : []),
  ]);
  if (conflict !== undefined) problems.push(`Managed CDP conflicts with ${conflict}. Leave one of them out`);
  if (problems.length > 0) throw new AppError("usage", problems.join("\n"));
  return { ...settings, extraArgs: [...settings.extraArgs, DEBUGGING_ARGUMENT] };
}

/** @throws {AppError} `cdp_capacity` where no port is free */
export function openSessionCdp(options: SessionCdpOptions): SessionCdp {
  const { pool, settings, log } = options;
  const lease = pool.lease();
  let trafficAt: number | undefined;
  const endpoint = new CdpEndpoint({
    listener: lease.listener,
    advertised: advertisedAddress(settings, lease.port),
    limits: {
      maxConnections: settings.cdpMaxConnections,
      maxHttpRequests: settings.cdpMaxHttpRequests,
      maxMessageBytes: settings.cdpMaxMessageBytes,
      maxHeaderBytes: settings.cdpMaxHeaderBytes,
      requestTimeoutMs: settings.cdpRequestTimeoutMs,
    },
    denied: settings.cdpMethodsDeny,
    allowed: settings.cdpReadOnly ? OBSERVING_METHODS : undefined,
    onTraffic: () => trafficAt = performance.now(),
    log,
    now: () => performance.now(),
  });
  const cdp = new ManagedCdp({
    endpoint,
    lease,
    bindHost: settings.cdpHost,
    advertisedHost: settings.cdpAdvertisedHost,
    bootstrapTimeoutMs: settings.cdpBootstrapTimeoutMs,
    onChange: options.onChange,
    onLost: options.onLost,
    log,
  });
  return { cdp, trafficAt: () => trafficAt };
}
