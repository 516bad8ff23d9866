/**
 * Where the server listens: a TCP port with or without TLS, or a unix socket.
 */
import { AppError, messageOf } from "../errors.ts";
import { pause, settlesWithin } from "../platform/deadline.ts";
import type { TlsMaterial } from "./tls.ts";
import { listenOnUnixSocket } from "./unix_socket.ts";

export type Handler = (request: Request, info: Deno.ServeHandlerInfo<Deno.Addr>) => Promise<Response>;

type Server = Deno.HttpServer<Deno.Addr>;

/** Closing waits for connections; those of clients that do not go are cut. */
const CLOSE_MS = 500;

/** A server that is shut down lets go of its port a moment later. */
const REBIND_ATTEMPTS = 200;
const REBIND_RETRY_MS = 5;

/** Only Linux hands the connections of one port to two sockets of one user. */
const SHARES_PORTS = Deno.build.os === "linux";

export interface TcpAddress {
  readonly httpHost: string;
  /** 0 for any free one. */
  readonly httpPort: number;
}

export interface ListenAddress extends TcpAddress {
  /** Path of a unix socket, instead of host and port. */
  readonly httpSocket: string | undefined;
}

export class Listener {
  readonly #address: TcpAddress;
  readonly #handler: Handler;
  readonly #sharesPorts: boolean;
  #server: Server;
  /** Servers that take no new connections but may have old ones. */
  readonly #ending = new Set<Promise<void>>();
  #closed = false;

  private constructor(
    server: Server,
    address: TcpAddress,
    handler: Handler,
    sharesPorts: boolean,
  ) {
    this.#server = server;
    this.#address = "port" in server.addr ? { ...address, httpPort: server.addr.port } : address;
    this.#handler = handler;
    this.#sharesPorts = sharesPorts;
  }

  /**
   * @param tls makes it HTTPS; not for a unix socket
   * @throws {AppError} `cannot_bind`
   */
  static async open(
    address: ListenAddress,
    tls: TlsMaterial | undefined,
    handler: Handler,
    sharesPorts = SHARES_PORTS,
  ): Promise<Listener> {
    const { httpHost, httpPort, httpSocket } = address;
    if (httpSocket !== undefined) {
      const bind = (): Server => Deno.serve({ path: httpSocket, onListen }, handler);
      const server = await listenOnUnixSocket(httpSocket, bind);
      return new Listener(server, address, handler, sharesPorts);
    }
    try {
      // A socket that shares its port would also share it with a second server of this user, which nobody wants.
      if (tls !== undefined && sharesPorts && httpPort !== 0) {
        Deno.listen({ hostname: httpHost, port: httpPort }).close();
      }
      return new Listener(serveTcp(address, tls, handler, sharesPorts), address, handler, sharesPorts);
    } catch (cause) {
      throw new AppError("cannot_bind", `Cannot listen on "${httpHost}:${httpPort}": ${messageOf(cause)}`, {
        remedy: bindRemedy(cause),
        cause,
      });
    }
  }

  /** The port is the one that was chosen, where any was asked for. */
  get addr(): Deno.Addr {
    return this.#server.addr;
  }

  /**
   * Serves new connections with another certificate. The runtime cannot change that of a server, so a second one
   * takes the port over: requests that run on the old one go on to their end, its idle connections are closed.
   *
   * On Linux no connection is refused meanwhile; elsewhere some may be, for milliseconds.
   *
   * @throws what binding throws; the old server serves on then, unless the port could only be taken from it first
   */
  async renew(tls: TlsMaterial): Promise<void> {
    if (this.#closed) return;
    const old = this.#server;
    if (this.#sharesPorts) {
      this.#server = serveTcp(this.#address, tls, this.#handler, true);
      this.#end(old);
      // Until the old one has let go, it may get new connections too.
      await pause(REBIND_RETRY_MS);
      return;
    }
    this.#end(old);
    this.#server = await this.#rebind(tls);
    if (this.#closed) await this.close();
  }

  /** Takes no more connections and closes those there are. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#end(this.#server);
    await settlesWithin(Promise.all(this.#ending), CLOSE_MS);
  }

  #end(server: Server): void {
    const ended: Promise<void> = server.shutdown().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  async #rebind(tls: TlsMaterial): Promise<Server> {
    for (let attempt = 1;; attempt++) {
      try {
        return serveTcp(this.#address, tls, this.#handler, false);
      } catch (error) {
        if (!(error instanceof Deno.errors.AddrInUse) || attempt === REBIND_ATTEMPTS) throw error;
        await pause(REBIND_RETRY_MS);
      }
    }
  }
}

function onListen(): void {}

function bindRemedy(cause: unknown): string {
  if (cause instanceof Deno.errors.AddrInUse) {
    return "Stop what listens there, or choose another --http-port (0 for any free one)";
  }
  if (cause instanceof Deno.errors.PermissionDenied) {
    return "Choose an --http-port above 1023, or give the program the right to use lower ones";
  }
  return "Give --http-host an address of this machine, or a name that leads to one";
}

function serveTcp(
  { httpHost, httpPort }: TcpAddress,
  tls: TlsMaterial | undefined,
  handler: Handler,
  sharesPort: boolean,
): Server {
  const address = { hostname: httpHost, port: httpPort, onListen };
  if (tls === undefined) return Deno.serve(address, handler);
  return Deno.serve({ ...address, cert: tls.cert, key: tls.key, reusePort: sharesPort }, handler);
}
