/**
 * Where the metadata of sessions is kept. A store of its own kind may share it with other servers; the traffic of a
 * session stays with the process that opened it, so requests have to be routed by `Mcp-Session-Id`.
 */
import type { SessionRecord } from "./session.ts";

export interface SessionStore {
  put(record: SessionRecord): Promise<void>;
  delete(id: string): Promise<void>;
  list(): Promise<readonly SessionRecord[]>;
}

/** Keeps records in this process. */
export function createMemoryStore(): SessionStore {
  const records = new Map<string, SessionRecord>();
  return {
    put(record): Promise<void> {
      records.set(record.id, record);
      return Promise.resolve();
    },
    delete(id): Promise<void> {
      records.delete(id);
      return Promise.resolve();
    },
    list: () => Promise.resolve([...records.values()]),
  };
}
