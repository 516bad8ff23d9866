/**
 * Host and port as they stand in a URL or a `Host` header (RFC 3986, section 3.2; no user info).
 */

export interface Authority {
  /** Lower case; IPv6 in its shortest form, in brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

const FORM = /^(\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+;=%-]+)(?::([0-9]{0,5}))?$/i;
const LARGEST_PORT = 65_535;
/** Of a name in DNS, with the period that may end it. */
const LONGEST_HOST = 254;

/** Undefined where the text is no authority. */
export function parseAuthority(text: string): Authority | undefined {
  const [, host = "", port = ""] = FORM.exec(text) ?? [];
  if (host === "" || host.length > LONGEST_HOST || Number(port) > LARGEST_PORT) return undefined;
  const canonical = host.startsWith("[") ? canonicalIpv6(host) : host.toLowerCase();
  if (canonical === undefined) return undefined;
  return { host: canonical, port: port === "" ? undefined : Number(port) };
}

/** An address to bind to or a name, as it stands in an authority: `::1` becomes `[::1]`. */
export function authorityHost(host: string): string {
  const text = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return parseAuthority(text)?.host ?? text.toLowerCase();
}

/** `localhost`, `127.0.0.0/8` and `::1`: reachable from this machine only. */
export function isLoopbackHost(host: string): boolean {
  const name = authorityHost(host);
  return name === "localhost" || name === "[::1]" || /^127(\.[0-9]{1,3}){3}$/.test(name);
}

function canonicalIpv6(bracketed: string): string | undefined {
  const url = `http://${bracketed}/`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
