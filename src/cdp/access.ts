/**
 * Whether a request came to the advertised address, and not from a foreign web page. Programs send no `Origin`; a page
 * cannot leave it out of a WebSocket, and where it may, its browser says in `Sec-Fetch-Site` where the page is from.
 */

import { authorityHost, parseAuthority } from "../protocol/authority.ts";
import type { RequestHead } from "./request_head.ts";

/** Where clients reach an endpoint, which need not be where it listens. */
export interface CdpAddress {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
}

export type AccessVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: "bad_request" | "forbidden"; readonly about: "host" | "origin" };

export type AccessGuard = (head: RequestHead) => AccessVerdict;

const DEFAULT_PORTS = { http: 80, https: 443 } as const;

export function createAccessGuard(address: CdpAddress): AccessGuard {
  const ownHost = authorityHost(address.host);
  const isOwn = (authority: { host: string; port: number | undefined }, defaultPort: number): boolean =>
    authority.host === ownHost && (authority.port ?? defaultPort) === address.port;

  return ({ headers }) => {
    const [host = ""] = headers.get("host") ?? [];
    const authority = parseAuthority(host);
    if (authority === undefined) return { ok: false, code: "bad_request", about: "host" };
    if (!isOwn(authority, DEFAULT_PORTS[address.scheme])) {
      return { ok: false, code: "forbidden", about: "host" };
    }

    const origins = headers.get("origin");
    if (origins === undefined) {
      const site = headers.get("sec-fetch-site");
      if (site === undefined || site.every((value) => value === "none" || value === "same-origin")) {
        return { ok: true };
      }
      return { ok: false, code: "forbidden", about: "origin" };
    }
    // A page in a sandbox says "null", and any page can make itself one.
    const [, scheme, rest = ""] = /^(https?):\/\/(.+)$/i.exec(origins.length === 1 ? origins[0] ?? "" : "") ??
      [];
    const origin = parseAuthority(rest);
    if (scheme === undefined || origin === undefined) {
      return { ok: false, code: "bad_request", about: "origin" };
    }
    // Either scheme: TLS may end in front of us, and the name and port are what a page has to have of its own.
    const defaultPort = DEFAULT_PORTS[scheme.toLowerCase() === "https" ? "https" : "http"];
    return isOwn(origin, defaultPort) ? { ok: true } : { ok: false, code: "forbidden", about: "origin" };
  };
}

/** `http://host:port`, with the port always there. */
export function baseUrl({ scheme, host, port }: CdpAddress): string {
  return `${scheme}://${authorityHost(host)}:${port}`;
}
