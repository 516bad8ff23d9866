/**
 * A SOCKS 5 entrance (RFC 1928, RFC 1929) on loopback to an HTTP proxy, for the time of one lookup.
 *
 * The `cloakbrowser` package looks through an HTTP proxy by handing a socket to Node's `https`, which under Deno connects
 * past the proxy: it would take this machine's own address for the proxy's. Through SOCKS it connects as it should.
 */

import { Buffer } from "node:buffer";
import { writeAll } from "../platform/write_all.ts";
import type { BrowserProxy } from "./browser_proxy.ts";

export interface ProxyEntrance extends Disposable {
  /** With a name and password that nobody else on this machine knows. */
  readonly proxy: BrowserProxy;
}

export const ENTRANCE_HOST = "127.0.0.1";

const SOCKS = 5;
const NAME_AND_PASSWORD = 2;
const HOST_NAME = 3;
const SUCCESS = 0;
const FAILURE = 1;
/** Of the answer of a proxy to CONNECT. */
const LONGEST_HEAD = 16 * 1024;

/** @param outer an HTTP or HTTPS proxy */
export function openProxyEntrance(outer: BrowserProxy): ProxyEntrance {
  const listener = Deno.listen({ hostname: ENTRANCE_HOST, port: 0 });
  const secret = crypto.randomUUID();
  const connections = new Connections();
  const accept = async (): Promise<void> => {
    for await (const client of listener) {
      connections.add(client);
      void serve(client, outer, secret, connections).catch(() => {}).finally(() => connections.close(client));
    }
  };
  void accept();
  return {
    proxy: {
      server: `socks5h://${ENTRANCE_HOST}:${listener.addr.port}`,
      username: secret,
      password: secret,
    },
    [Symbol.dispose](): void {
      listener.close();
      connections.closeAll();
    },
  };
}

/** Those that are open: each is closed once, from whichever side the end comes. */
class Connections {
  readonly #open = new Set<Deno.Conn>();

  add(connection: Deno.Conn): void {
    this.#open.add(connection);
  }

  close(connection: Deno.Conn): void {
    if (this.#open.delete(connection)) connection.close();
  }

  closeAll(): void {
    for (const connection of [...this.#open]) this.close(connection);
  }
}

async function serve(
  client: Deno.Conn,
  outer: BrowserProxy,
  secret: string,
  connections: Connections,
): Promise<void> {
  const [, methods = 0] = await read(client, 2);
  await read(client, methods);
  await writeAll(client, Uint8Array.of(SOCKS, NAME_AND_PASSWORD));
  await read(client, 1);
  const [name, password] = [await readText(client), await readText(client)];
  const known = name === secret && password === secret;
  await writeAll(client, Uint8Array.of(1, known ? SUCCESS : FAILURE));
  if (!known) return;
  const [, , , kind] = await read(client, 4);
  // The package is given `socks5h`, so that it leaves names to the proxy.
  if (kind !== HOST_NAME) return;
  const host = await readText(client);
  const [high = 0, low = 0] = await read(client, 2);
  const server = await dial(outer);
  connections.add(server);
  try {
    const tunnelled = await connect(server, outer, `${host}:${high * 256 + low}`);
    await writeAll(client, Uint8Array.of(SOCKS, tunnelled ? SUCCESS : FAILURE, 0, 1, 0, 0, 0, 0, 0, 0));
    if (tunnelled) await Promise.race([copy(client, server), copy(server, client)]);
  } finally {
    connections.close(server);
  }
}

async function copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(16 * 1024);
  try {
    for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
      await writeAll(to, buffer.subarray(0, count));
    }
  } catch {
    // The other direction has ended first, and closed both.
  }
}

async function dial({ server }: BrowserProxy): Promise<Deno.Conn> {
  const { protocol, hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, "");
  return protocol === "https:"
    ? await Deno.connectTls({ hostname: host, port: Number(port || 443) })
    : await Deno.connect({ hostname: host, port: Number(port || 80) });
}

/** Whether the proxy lets us through to `authority`. */
async function connect(server: Deno.Conn, proxy: BrowserProxy, authority: string): Promise<boolean> {
  const { username, password = "" } = proxy;
  const credentials = username === undefined
    ? ""
    : `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString("base64")}\r\n`;
  const head = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`;
  await writeAll(server, new TextEncoder().encode(head));
  let answer = "";
  // Byte by byte: what follows the head is the tunnel's.
  while (!answer.endsWith("\r\n\r\n")) {
    if (answer.length > LONGEST_HEAD) return false;
    answer += String.fromCharCode(...await read(server, 1));
  }
  return /^HTTP\/1\.[01] 2/.test(answer);
}

async function readText(connection: Deno.Conn): Promise<string> {
  const [length = 0] = await read(connection, 1);
  return new TextDecoder().decode(await read(connection, length));
}

async function read(connection: Deno.Conn, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length;) {
    const count = await connection.read(bytes.subarray(filled));
    if (count === null) throw new Error("the connection has ended");
    filled += count;
  }
  return bytes;
}
