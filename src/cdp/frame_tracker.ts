/**
 * Follows a stream of WebSocket frames without touching it: where frames end, and how long messages get. A frame costs
 * the look at its header, whatever its size.
 */

import { CLOSE, type CloseCode, isControl, OPCODE, readFrameHeader } from "./frames.ts";

export interface Scan {
  /** Bytes that can go on. What lies behind is a part of a header and has to come again with more. */
  readonly whole: number;
  /** The last place, up to `whole`, where a frame of ours can stand; -1 where there is none. */
  readonly boundary: number;
  /** What is wrong with the frame that starts at `whole`. */
  readonly fault: CloseCode | undefined;
}

export class FrameTracker {
  readonly #maxMessageBytes: number;
  /** Of the payload that is passing. */
  #left = 0;
  /** Payload of the message so far, with the frame that is passing. */
  #messageBytes = 0;
  #closed = false;

  /** @param maxMessageBytes 0 for no bound */
  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** A close frame has begun to pass: nothing may follow it. */
  get closed(): boolean {
    return this.#closed;
  }

  scan(bytes: Uint8Array): Scan {
    let at = Math.min(this.#left, bytes.length);
    this.#left -= at;
    let boundary = this.#left === 0 ? at : -1;
    while (at < bytes.length) {
      const header = readFrameHeader(bytes, at);
      if (header === undefined) return { whole: at, boundary, fault: undefined };
      const { opcode, headerLength, payloadLength } = header;
      const fault = this.#count(opcode, payloadLength);
      if (fault !== undefined) return { whole: at, boundary, fault };
      if (opcode === OPCODE.close) this.#closed = true;
      const end = at + headerLength + payloadLength;
      this.#left = Math.max(0, end - bytes.length);
      at = Math.min(end, bytes.length);
      if (this.#left === 0) boundary = at;
    }
    return { whole: at, boundary, fault: undefined };
  }

  #count(opcode: number, payloadLength: number): CloseCode | undefined {
    if (payloadLength === Infinity) return CLOSE.protocolError;
    if (isControl(opcode) || this.#maxMessageBytes === 0) return undefined;
    this.#messageBytes = payloadLength + (opcode === OPCODE.continuation ? this.#messageBytes : 0);
    return this.#messageBytes > this.#maxMessageBytes ? CLOSE.messageTooBig : undefined;
  }
}
