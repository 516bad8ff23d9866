/**
 * The WebSocket handshake (RFC 6455, section 4), once with the client and once with Chromium, under the client's key.
 *
 * Neither side gets an extension, so that frames can pass as they are. DevTools have no subprotocol; a client that
 * offers some, and may insist on one, gets the first.
 */

import { createHash } from "node:crypto";
import { judgeStatus } from "./discovery.ts";
import { InnerConnection, type InnerOptions, orRefusal } from "./inner_connection.ts";
import { refuse, type Verdict } from "./refusals.ts";
import { listHeader, type RequestHead } from "./request_head.ts";

const KEY = /^[A-Za-z0-9+/]{22}==$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Of RFC 6455, section 1.3. */
const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Whether a request wants to be one for a WebSocket, well-formed or not. */
export function isUpgrade(head: RequestHead): boolean {
  return head.headers.has("upgrade");
}

/** What the client has to be answered with. */
export interface Handshake {
  readonly key: string;
  readonly protocol: string | undefined;
}

export function checkUpgrade(head: RequestHead): Verdict<{ readonly handshake: Handshake }> {
  const one = (name: string): string | undefined => {
    const values = head.headers.get(name) ?? [];
    return values.length === 1 ? values[0] : undefined;
  };
  const key = one("sec-websocket-key") ?? "";
  const protocols = protocolsOf(head.headers.get("sec-websocket-protocol"));
  const valid = head.method === "GET" &&
    one("upgrade")?.toLowerCase() === "websocket" &&
    listHeader(head, "connection").includes("upgrade") &&
    KEY.test(key) &&
    one("sec-websocket-version") === "13" &&
    protocols !== undefined;
  return valid ? { ok: true, handshake: { key, protocol: protocols?.[0] } } : refuse("bad_request");
}

export function acceptFor(key: string): string {
  return createHash("sha1").update(key + ACCEPT_SUFFIX).digest("base64");
}

/** What a client gets whose handshake Chromium has taken. */
export function acceptBytes({ key, protocol }: Handshake): Uint8Array {
  return new TextEncoder().encode(
    [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${acceptFor(key)}`,
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
      "\r\n",
    ].join("\r\n"),
  );
}

export interface OpenTarget {
  readonly socket: Deno.TcpConn;
  /** Frames that came with the answer. */
  readonly received: Uint8Array;
}

/** @param path that Chromium upgrades */
export function openTarget(path: string, key: string, options: InnerOptions): Promise<Verdict<OpenTarget>> {
  return orRefusal(async () => {
    using connection = await InnerConnection.open(options);
    await connection.ask("GET", path, options.port, [
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Key: ${key}`,
      "Sec-WebSocket-Version: 13",
    ]);
    const { status, headers } = await connection.head();
    const verdict = judgeStatus(status, 101);
    if (!verdict.ok) return verdict;
    const taken = headers.get("sec-websocket-accept") === acceptFor(key) &&
      headers.get("upgrade")?.toLowerCase() === "websocket" &&
      !headers.has("sec-websocket-extensions") && !headers.has("sec-websocket-protocol");
    return taken ? { ok: true, ...connection.release() } : refuse("bad_gateway");
  });
}

/** Names of subprotocols, each once, in one header or several; undefined where they are malformed. */
function protocolsOf(values: readonly string[] | undefined): readonly string[] | undefined {
  if (values === undefined) return [];
  const names = values.join(",").split(",").map((name) => name.trim());
  return names.every((name) => TOKEN.test(name)) && new Set(names).size === names.length ? names : undefined;
}
