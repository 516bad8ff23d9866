/**
 * The external ports that sessions lease for their CDP endpoints. A lease is bound, so other processes may use the same
 * range: a port that somebody else has is passed over.
 */
import { AppError, messageOf } from "../errors.ts";

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export type CdpListener = Deno.Listener<Deno.TcpConn | Deno.TlsConn>;

/** A session's exclusive right to one port, from its start to its end. */
export interface PortLease {
  readonly port: number;
  readonly listener: CdpListener;
  /** Gives the port back. Only for who has closed the listener; idempotent. */
  release(): void;
}

export interface PortPoolOptions {
  readonly range: PortRange;
  /**
   * Binds a port.
   *
   * @throws {Deno.errors.AddrInUse} where somebody else has it
   */
  readonly listen: (port: number) => CdpListener;
}

export class PortPool {
  readonly #options: PortPoolOptions;
  readonly #leased = new Set<number>();

  constructor(options: PortPoolOptions) {
    this.#options = options;
  }

  /**
   * The lowest port that is free.
   *
   * @throws {AppError} `cdp_capacity` where none is, `cannot_bind` where the address cannot be bound at all
   */
  lease(): PortLease {
    const { range, listen } = this.#options;
    for (let port = range.first; port <= range.last; port++) {
      if (this.#leased.has(port)) continue;
      try {
        const listener = listen(port);
        this.#leased.add(port);
        return { port, listener, release: () => void this.#leased.delete(port) };
      } catch (error) {
        if (error instanceof Deno.errors.AddrInUse) continue;
        throw new AppError("cannot_bind", `Cannot listen on CDP port ${port}: ${messageOf(error)}`, {
          remedy: "Choose another --cdp-host or --cdp-port-range",
          cause: error,
        });
      }
    }
    throw new AppError("cdp_capacity", "Managed CDP capacity unavailable: every port of the range is taken", {
      remedy: "End a session, or widen --cdp-port-range",
    });
  }
}
