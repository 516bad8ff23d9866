/**
 * What the options of managed CDP say about each other and about those that leave us without a browser of our own. They
 * are judged only where CDP can be used; elsewhere they have no effect, and who set them is told so.
 */

import { authorityHost, isLoopbackHost } from "../protocol/authority.ts";
import { isUnspecified } from "../protocol/ip_range.ts";
import type { Judgement } from "./http_rules.ts";
import { keysOfGroup, noteNoEffect } from "./no_effect.ts";
import type { SettingKey } from "./option_table.ts";
import { nameOrigin, type Origin } from "./origin.ts";
import { isShiftable, parsePortRange } from "./port_range.ts";
import type { Settings } from "./settings.ts";

type Values = Omit<Settings, "upstreamArgs">;
type Origins = Readonly<Record<SettingKey, Origin>>;

const SESSION_KEY = "cdpEnabled" satisfies SettingKey;

/** Whether any session of this process can get a CDP address. */
export function canUseCdp(settings: Values): boolean {
  return settings.cdpPortRange !== undefined && settings.upstreamCommand === undefined &&
    canBeAsked(settings);
}

/**
 * Why sessions that have CDP enabled cannot have it: for the process, or for one session with its own options laid over
 * those of the process.
 */
export function cdpEnabledProblems(settings: Values, origins: Origins): string[] {
  if (!settings.cdpEnabled) return [];
  const subject = nameOrigin(origins.cdpEnabled);
  if (settings.upstreamCommand !== undefined) {
    return [
      `Cannot use ${subject} together with ${
        nameOrigin(origins.upstreamCommand)
      }: another upstream starts a ` +
      "browser that is not ours to share. Leave one of them out",
    ];
  }
  if (isGiven(origins.cdpPortRange)) return [];
  return [
    `Cannot use ${subject}: a CDP port range is required when managed CDP is enabled. Add --cdp-port-range`,
  ];
}

export function judgeCdp(settings: Values, origins: Origins): Judgement {
  const problems = cdpEnabledProblems(settings, origins);
  const replaced = settings.upstreamCommand !== undefined;
  if (replaced && problems.length > 0) return { problems, notices: [] };
  if (!settings.cdpEnabled && !canUseCdp(settings)) {
    return { problems: [], notices: noteUnused(settings, origins) };
  }
  problems.push(
    ...hostProblems(settings, origins),
    ...tlsProblems(settings, origins),
    ...portProblems(settings, origins),
  );
  return { problems, notices: noteOpen(settings) };
}

/** Whether some source sets it, be the value right or wrong: a wrong one is a problem already, not a missing one. */
function isGiven(origin: Origin): boolean {
  return origin.kind !== "default";
}

function canBeAsked({ cdpEnabled, transport, sessionOptionsAllow }: Values): boolean {
  if (cdpEnabled) return true;
  return transport !== "stdio" &&
    (sessionOptionsAllow === undefined || sessionOptionsAllow.includes(SESSION_KEY));
}

function noteUnused(settings: Values, origins: Origins): string[] {
  const keys = keysOfGroup("cdp").filter((key) => key !== SESSION_KEY);
  if (settings.upstreamCommand !== undefined) {
    const why = ` with ${nameOrigin(origins.upstreamCommand)}: its browser is not ours to share`;
    return noteNoEffect(keys, origins, why);
  }
  if (settings.cdpPortRange === undefined) {
    if (isGiven(origins.cdpPortRange)) return [];
    return noteNoEffect(keys, origins, " without a range of ports: add --cdp-port-range");
  }
  // Who switched CDP off knows that the rest of it is off too.
  if (isGiven(origins.cdpEnabled)) return [];
  const why = settings.transport === "stdio"
    ? " over stdio without --cdp-enabled"
    : " without --cdp-enabled, as --session-options-allow lets no session ask for CDP";
  return noteNoEffect(keys, origins, why);
}

function hostProblems(settings: Values, origins: Origins): string[] {
  const { cdpHost, cdpAllowRemote } = settings;
  const subject = `"${cdpHost}" for ${nameOrigin(origins.cdpHost)}`;
  const problems: string[] = [];
  if (isUnspecified(cdpHost) && !isGiven(origins.cdpAdvertisedHost)) {
    problems.push(
      `Cannot use ${subject}: a wildcard bind host requires an advertised host. Name the host that CDP clients use ` +
        "with --cdp-advertised-host",
    );
  }
  if (!isLoopbackHost(cdpHost) && !cdpAllowRemote) {
    problems.push(
      `Cannot use ${subject}: other machines reach it, and a CDP address gives its holder the whole browser. Add ` +
        "--cdp-allow-remote if that is meant",
    );
  }
  return problems;
}

function tlsProblems({ cdpAdvertisedScheme }: Values, origins: Origins): string[] {
  const { cdpTlsCert, cdpTlsKey } = origins;
  if (!isGiven(cdpTlsCert) && !isGiven(cdpTlsKey)) return [];
  if (!isGiven(cdpTlsCert) || !isGiven(cdpTlsKey)) {
    const [given, missing] = isGiven(cdpTlsCert)
      ? [cdpTlsCert, "--cdp-tls-key"]
      : [cdpTlsKey, "--cdp-tls-cert"];
    return [`Cannot use ${nameOrigin(given)} alone: TLS needs a certificate and its key. Add ${missing}`];
  }
  const scheme = origins.cdpAdvertisedScheme;
  if (cdpAdvertisedScheme === "https" || !isGiven(scheme)) return [];
  return [
    `Cannot use ${nameOrigin(scheme)} http together with ${
      nameOrigin(cdpTlsCert)
    }: with a certificate only https ` +
    "is served. Leave one of them out",
  ];
}

function portProblems(settings: Values, origins: Origins): string[] {
  const { cdpPortRange, cdpAdvertisedPortOffset: offset } = settings;
  const range = parsePortRange(cdpPortRange);
  if (range === undefined || isShiftable(range, offset)) return [];
  return [
    `Cannot use "${offset}" for ${
      nameOrigin(origins.cdpAdvertisedPortOffset)
    }: it moves ports of "${cdpPortRange}" ` +
    `for ${nameOrigin(origins.cdpPortRange)} out of 1 to 65535`,
  ];
}

function noteOpen(settings: Values): string[] {
  const { cdpHost, cdpAllowRemote, cdpTlsCert, cdpAdvertisedScheme } = settings;
  const encrypted = cdpTlsCert !== undefined || cdpAdvertisedScheme === "https";
  if (!cdpAllowRemote || isLoopbackHost(cdpHost) || encrypted) return [];
  return [
    `CDP addresses on "${
      authorityHost(cdpHost)
    }" are an unencrypted way to control the browser from other machines: ` +
    "set --cdp-tls-cert and --cdp-tls-key, put a TLS proxy in front or isolate the network",
  ];
}
