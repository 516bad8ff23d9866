/**
 * Events that a session keeps for clients that come back (MCP 2025-11-25, "Streamable HTTP", resumability), within
 * bounds that all of its streams share.
 */

/** A screenshot or two. What is larger is kept only until something else comes, and only where nobody has heard it. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_EVENTS = 1000;

export interface StoredEvent {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

export class EventBudget {
  #bytes = 0;
  /** Oldest first. */
  #kept: { readonly events: Map<number, StoredEvent>; readonly event: StoredEvent }[] = [];

  /** Adds an event to the map of its stream, and takes the oldest ones of the session out of theirs. */
  keep(events: Map<number, StoredEvent>, event: StoredEvent, heard: boolean): void {
    if (event.bytes.length > MAX_BYTES && heard) return;
    events.set(event.sequence, event);
    this.#kept.push({ events, event });
    this.#bytes += event.bytes.length;
    while (this.#kept.length > 1 && (this.#bytes > MAX_BYTES || this.#kept.length > MAX_EVENTS)) {
      this.#dropOldest();
    }
  }

  /** Forgets a stream that is over. */
  release(events: Map<number, StoredEvent>): void {
    this.#kept = this.#kept.filter((each) => each.events !== events);
    for (const event of events.values()) this.#bytes -= event.bytes.length;
    events.clear();
  }

  #dropOldest(): void {
    const oldest = this.#kept.shift();
    if (oldest === undefined) return;
    if (oldest.events.delete(oldest.event.sequence)) this.#bytes -= oldest.event.bytes.length;
  }
}
