import type { AppError } from "../errors.ts";
import type { Relay } from "./relay.ts";

/** One session's wiring, whatever its client's transport. */
export interface Bridge {
  readonly relay: Relay;
  /** Resolves where the settings turn out to be such that the session can never work. */
  readonly unusable: Promise<AppError>;
  /** Resolves when the first upstream process has been started, or could not be. */
  readonly started: Promise<void>;
  /** When a CDP client last moved something, by a clock that never goes back; undefined where none has. */
  readonly cdpTrafficAt?: () => number | undefined;
  /**
   * Ends the upstream and its browser, and removes what the session had on disk.
   *
   * @param why for calls that are still running, as the end of "because …"
   */
  close(graceMs: number, why?: string): Promise<void>;
}
