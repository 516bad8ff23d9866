/**
 * IP addresses and CIDR ranges as numbers. IPv4 lies in `::ffff:0:0/96`, so that an IPv4 address is the same whether it
 * comes over an IPv4 or a dual-stack socket.
 */

export interface IpRange {
  readonly first: bigint;
  readonly last: bigint;
}

const BITS = 128n;
const IPV4_BASE = 0xffff_0000_0000n;
const IPV4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/;

/** Undefined where the text is no IP address. */
export function parseIp(text: string): bigint | undefined {
  if (isIPv4(text)) {
    return text.split(".").reduce((number, part) => number * 256n + BigInt(part), 0n) + IPV4_BASE;
  }
  // No zone, as in fe80::1%eth0: that names an interface of this machine, not an address.
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined;
  const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const groups = (part: string | undefined): string[] => part ? part.split(":") : [];
  const before = groups(head);
  const after = groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce(
    (number, group) => (number << 16n) + BigInt(`0x${group}`),
    0n,
  );
}

/** `0.0.0.0` and `::`: every address of the machine. */
export function isUnspecified(text: string): boolean {
  const address = parseIp(text);
  return address === 0n || address === IPV4_BASE;
}

/** An address alone is a range of one. Undefined where the text is neither. */
export function parseIpRange(text: string): IpRange | undefined {
  const [, address = "", length] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? [];
  const number = parseIp(address);
  if (number === undefined) return undefined;
  const offset = isIPv4(address) ? 96n : 0n;
  const prefix = length === undefined ? BITS : BigInt(length) + offset;
  if (prefix > BITS) return undefined;
  const size = 1n << (BITS - prefix);
  const first = (number / size) * size;
  return { first, last: first + size - 1n };
}

function isIPv4(text: string): boolean {
  return IPV4.test(text);
}

export function isInRanges(address: bigint, ranges: readonly IpRange[]): boolean {
  return ranges.some(({ first, last }) => first <= address && address <= last);
}

/** `192.0.2.1`, or IPv6 in its shortest form. */
export function formatIp(address: bigint): string {
  if (address >> 32n === 0xffffn) {
    return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join(".");
  }
  const groups = Array.from({ length: 8 }, (_, index) => (address >> BigInt(112 - index * 16)) & 0xffffn);
  const long = groups.map((group) => group.toString(16)).join(":");
  return new URL(`http://[${long}]/`).hostname.slice(1, -1);
}
