/**
 * Hosts that read the same to whoever binds them, whoever puts them into a URL and whoever compares them with a `Host`
 * header. `0`, `127.1` and `0x7f000001` are addresses to some of these and names to others, so they are refused.
 */

import { parseIp } from "../protocol/ip_range.ts";

/** Of a name in DNS (RFC 1035, section 2.3.4). */
const LONGEST_NAME = 253;
/** With the underscore, which names in container networks have. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** What is wrong with a host as the end of "it …". */
export function canonicalHostProblem(text: string): string | undefined {
  // Letters of ASCII only: the Kelvin sign too has a k for its lower case.
  const host = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const literal = host.includes(":");
  const inUrl = literal ? `[${host}]` : host;
  // What could end the host and start another part of a URL never reaches the parser.
  const known = /^[^\s/?#@\\[\]%]+$/.test(host) && (!literal || parseIp(host) !== undefined) &&
    URL.canParse(`http://${inUrl}/`);
  if (!known) return FORM;
  const canonical = new URL(`http://${inUrl}/`).hostname;
  if (canonical !== inUrl) {
    return `must be written as it stands in a URL: "${literal ? canonical.slice(1, -1) : canonical}"`;
  }
  return literal || isName(host) ? undefined : FORM;
}

const FORM =
  'must be a host name or an IP address such as "127.0.0.1" or "::1", without scheme, port and brackets';

/** IPv4 addresses have the form of names too. */
function isName(host: string): boolean {
  return host.length <= LONGEST_NAME && host.split(".").every((label) => LABEL.test(label));
}
