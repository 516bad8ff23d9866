/**
 * Refuses requests of foreign web pages. Programs send no `Origin`, and a page cannot leave it out.
 */

import { parseAuthority } from "../../protocol/authority.ts";
import { PASSED, refuse, type Verdict } from "../refusal.ts";
import { LOOPBACK_NAMES, requestHost } from "./host.ts";

export interface OriginGuardOptions {
  /** Entries of `--allowed-origin`. */
  readonly allowedOrigins: readonly string[];
  readonly tls: boolean;
}

/** To be asked after the guard of `Host`, whose name counts as the server's own here. */
export type OriginGuard = (request: Request) => Verdict;

export function createOriginGuard({ allowedOrigins, tls }: OriginGuardOptions): OriginGuard {
  const allowed = new Set(allowedOrigins.map(canonicalOrigin));
  return (request) => {
    const origin = request.headers.get("origin");
    if (origin === null || allowed.has(canonicalOrigin(origin)) || isOwn(origin, request, tls)) return PASSED;
    // A page in a sandbox sends "null": any page can make itself one, so that name can be given to nobody.
    const advice = origin === "null" || parseWebOrigin(origin) === undefined
      ? "Only origins named by --allowed-origin and pages of this server may use it"
      : `Start it with --allowed-origin ${origin} to allow it`;
    return refuse(
      403,
      "origin",
      `Forbidden: this server does not answer to pages of the origin "${shorten(origin)}". ${advice}`,
    );
  };
}

/**
 * One spelling for each origin of the web: lower case and without the port that its scheme has anyway. Origins of
 * other schemes stay as they are.
 */
export function canonicalOrigin(origin: string): string {
  const web = parseWebOrigin(origin);
  if (web === undefined) return origin;
  return `${web.scheme}://${web.host}${web.port === DEFAULT_PORTS[web.scheme] ? "" : `:${web.port}`}`;
}

/**
 * Pages of this machine, and pages that come from the very name and port under which the request reached us. An https
 * page of that name is ours also where we speak http: then TLS ends in a proxy in front of us.
 */
function isOwn(origin: string, request: Request, tls: boolean): boolean {
  const web = parseWebOrigin(origin);
  if (web === undefined) return false;
  if (LOOPBACK_NAMES.includes(web.host)) return true;
  if (tls && web.scheme === "http") return false;
  const own = parseAuthority(requestHost(request, tls) ?? "");
  return own !== undefined && own.host === web.host && (own.port ?? DEFAULT_PORTS[web.scheme]) === web.port;
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const;

interface WebOrigin {
  readonly scheme: keyof typeof DEFAULT_PORTS;
  readonly host: string;
  readonly port: number;
}

function parseWebOrigin(origin: string): WebOrigin | undefined {
  const [, scheme, rest = ""] = /^(https?):\/\/(.+)$/i.exec(origin) ?? [];
  const authority = parseAuthority(rest);
  if (scheme === undefined || authority === undefined) return undefined;
  const known = scheme.toLowerCase() === "https" ? "https" : "http";
  return { scheme: known, host: authority.host, port: authority.port ?? DEFAULT_PORTS[known] };
}

/** Enough to recognise an origin by. */
const SHOWN_CHARACTERS = 200;

function shorten(origin: string): string {
  return origin.length > SHOWN_CHARACTERS ? `${origin.slice(0, SHOWN_CHARACTERS)}…` : origin;
}
