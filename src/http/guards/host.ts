/**
 * Answers only to names that mean this server. A web page whose own name leads here (DNS rebinding) sends that name as
 * `Host`, and the browser lets it read the answers.
 */

import { authorityHost, parseAuthority } from "../../protocol/authority.ts";
import { isUnspecified } from "../../protocol/ip_range.ts";
import { ANY_HOST } from "../../settings/options/http.ts";
import { PASSED, refuse, type Verdict } from "../refusal.ts";

export interface HostGuardOptions {
  /** Entries of `--allowed-host`. */
  readonly allowedHosts: readonly string[];
  /** Name or address that the server is bound to. */
  readonly httpHost: string;
  /** HTTP/2, which the runtime speaks over TLS only, has the name in the address of the request instead of `Host`. */
  readonly tls: boolean;
}

export type HostGuard = (request: Request) => Verdict;

/** Canonical names, as a browser sends them: other spellings of an address are other names. */
export const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

export function createHostGuard({ allowedHosts, httpHost, tls }: HostGuardOptions): HostGuard {
  const anyPort = new Set(LOOPBACK_NAMES);
  const onePort = new Set<string>();
  if (!isUnspecified(httpHost)) anyPort.add(authorityHost(httpHost));
  for (const entry of allowedHosts) {
    const authority = parseAuthority(entry);
    if (authority?.port === undefined) anyPort.add(authority?.host ?? entry);
    else onePort.add(`${authority.host}:${authority.port}`);
  }
  const defaultPort = tls ? 443 : 80;
  return (request) => {
    const text = requestHost(request, tls);
    // Several headers reach us as one, joined by a comma, and so have no form of an authority either.
    const authority = text === null ? undefined : parseAuthority(text);
    if (authority === undefined) {
      return refuse(
        400,
        "host",
        `Bad Request: ${text === null ? "the Host header is missing" : "malformed Host header"}`,
      );
    }
    const { host, port = defaultPort } = authority;
    if (anyPort.has(ANY_HOST) || anyPort.has(host) || onePort.has(`${host}:${port}`)) return PASSED;
    return refuse(
      403,
      "host",
      `Forbidden: this server does not answer to the host "${host}". Start it with --allowed-host ${host} to allow it`,
    );
  };
}

/** Host and port under which a request reached us, as the client wrote them. */
export function requestHost(request: Request, tls: boolean): string | null {
  const header = request.headers.get("host");
  if (header !== null || !tls) return header;
  // Read by hand: the address of a request need not be a URL.
  return /^https:\/\/([^/?#]*)/.exec(request.url)?.[1] ?? null;
}
