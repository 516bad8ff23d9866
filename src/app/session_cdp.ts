/**
 * Gives one session its CDP address: a leased port, the endpoint on it, and what makes its capability.
 */
import { CdpEndpoint } from "../cdp/endpoint.ts";
import { ManagedCdp } from "../cdp/managed_cdp.ts";
import { OBSERVING_METHODS } from "../cdp/observing_methods.ts";
import type { PortPool } from "../cdp/port_pool.ts";
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
