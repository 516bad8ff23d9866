/**
 * Whose request it is. Behind a proxy the connection comes from the proxy, which names the client in
 * `X-Forwarded-For`; anybody else can write that header too, so only what trusted proxies have added counts.
 */

import { formatIp, type IpRange, isInRanges, parseIp, parseIpRange } from "../protocol/ip_range.ts";
import { UNIX_PEER } from "../settings/options/http.ts";

/** Given the other end of the connection, `unix` for a socket file, and the headers of the request. */
export type ClientAddress = (peer: string, headers: Headers) => string;

/** @param trustProxy entries of `--trust-proxy` */
export function createClientAddress(trustProxy: readonly string[]): ClientAddress {
  const ranges: IpRange[] = [];
  for (const entry of trustProxy) {
    const range = parseIpRange(entry);
    if (range !== undefined) ranges.push(range);
  }
  const trustsUnix = trustProxy.includes(UNIX_PEER);
  const read = (peer: string): { readonly peer: string; readonly own: string; readonly trusted: boolean } => {
    const address = parseIp(peer);
    return {
      peer,
      own: address === undefined ? peer : formatIp(address),
      trusted: address === undefined ? trustsUnix && peer === UNIX_PEER : isInRanges(address, ranges),
    };
  };
  // Requests of one peer often follow each other.
  let last = read(UNIX_PEER);
  return (peer, headers) => {
    if (last.peer !== peer) last = read(peer);
    const { own, trusted } = last;
    if (!trusted) return own;
    let client: bigint | undefined;
    // Each proxy appends whom it has the request from, so the list is read from its end up to the first stranger.
    for (const entry of (headers.get("x-forwarded-for") ?? "").split(",").reverse()) {
      const hop = parseHop(entry);
      if (hop === undefined) break;
      client = hop;
      if (!isInRanges(hop, ranges)) break;
    }
    return client === undefined ? own : formatIp(client);
  };
}

/**
 * What limits count by. A client with IPv6 usually has a whole /64 to itself, so its addresses count as one.
 */
export function limitKey(address: string): string {
  const number = parseIp(address);
  if (number === undefined || !formatIp(number).includes(":")) return address;
  return `${formatIp((number >> 64n) << 64n)}/64`;
}

/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function parseHop(entry: string): bigint | undefined {
  const text = entry.trim();
  const [, bracketed, ipv4] = /^(?:\[([^\]]+)\]|([0-9.]+))(?::[0-9]+)?$/.exec(text) ?? [];
  return parseIp(bracketed ?? ipv4 ?? text);
}
