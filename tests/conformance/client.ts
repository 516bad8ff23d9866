/** What the parts of the conformance upstream know of the client behind it. */
export type Json = Record<string, unknown>;

export interface Client {
  notify(method: string, params: Json): void;
  /** Logs at a level of RFC 5424, unless the client wants less. */
  log(level: string, data: string): void;
  /** Asks the client; rejects with what it refuses with. */
  ask(method: string, params: Json): Promise<Json>;
}

export class InvalidParams extends Error {}
