/**
 * Reads what a client sends message by message, for rules about methods. What may pass is passed on as the bytes it
 * came in, all frames of a message together.
 */

import { Buffer } from "node:buffer";
import { CLOSE, type CloseCode, type FrameHeader, isControl, OPCODE, readFrameHeader } from "./frames.ts";
import type { MethodRules } from "./method_rules.ts";

/** Where no bound of messages is set: a message has to be held whole, and be parsed, to be judged. */
export const MAX_INSPECTED_BYTES = 16 * 1024 * 1024;
const MAX_CONTROL_BYTES = 125;
/** A message may be cut into many small frames, each of which is kept as it came. */
const MAX_FRAMES = 65_536;

export type Found =
  /** Bytes for Chromium. */
  | { readonly forward: Uint8Array }
  /** Text for the client, instead of an answer of Chromium. */
  | { readonly answer: string }
  /** What the client's socket is to be closed with. */
  | { readonly fault: CloseCode };

export class ClientInspector {
  readonly #rules: MethodRules;
  readonly #maxMessageBytes: number;
  /** Received and not yet a whole frame. */
  #buffer = new Uint8Array(1024);
  #length = 0;
  /** Frames of the message that is coming, as they came, and their payload without its mask. */
  #frames: Uint8Array[] = [];
  #payload: Uint8Array[] = [];
  #payloadBytes = 0;
  #closed = false;

  /** @param maxMessageBytes 0 for the bound that inspection itself needs */
  constructor(rules: MethodRules, maxMessageBytes: number) {
    this.#rules = rules;
    this.#maxMessageBytes = maxMessageBytes === 0 ? MAX_INSPECTED_BYTES : maxMessageBytes;
  }

  /** What a chunk completes, in order. Nothing may be pushed after a fault. */
  push(chunk: Uint8Array): Found[] {
    // Behind its close frame a client has nothing to say (RFC 6455, section 5.5.1).
    if (this.#closed) return [];
    this.#append(chunk);
    const found: Found[] = [];
    let at = 0;
    for (;;) {
      const header = readFrameHeader(this.#buffer.subarray(0, this.#length), at);
      if (header === undefined) break;
      const fault = this.#faultOf(header);
      if (fault !== undefined) return [...found, { fault }];
      const end = at + header.headerLength + header.payloadLength;
      if (end > this.#length) break;
      const result = this.#take(header, this.#buffer.slice(at, end));
      if (result !== undefined) found.push(result);
      if (result !== undefined && "fault" in result) return found;
      this.#closed = header.opcode === OPCODE.close;
      if (this.#closed) return found;
      at = end;
    }
    this.#buffer.copyWithin(0, at, this.#length);
    this.#length -= at;
    return found;
  }

  #append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = needed;
  }

  #faultOf({ final, reserved, opcode, masked, payloadLength }: FrameHeader): CloseCode | undefined {
    if (!masked || reserved !== 0) return CLOSE.protocolError;
    if (isControl(opcode)) {
      const known = opcode === OPCODE.close || opcode === OPCODE.ping || opcode === OPCODE.pong;
      return known && final && payloadLength <= MAX_CONTROL_BYTES ? undefined : CLOSE.protocolError;
    }
    if (opcode === OPCODE.binary) return CLOSE.unsupportedData;
    const expected = this.#frames.length > 0 ? OPCODE.continuation : OPCODE.text;
    if (opcode !== expected) return CLOSE.protocolError;
    const tooBig = this.#payloadBytes + payloadLength > this.#maxMessageBytes ||
      this.#frames.length >= MAX_FRAMES;
    return tooBig ? CLOSE.messageTooBig : undefined;
  }

  #take({ final, opcode, headerLength }: FrameHeader, frame: Uint8Array): Found | undefined {
    if (isControl(opcode)) return { forward: frame };
    const payload = unmasked(frame, headerLength);
    this.#frames.push(frame);
    this.#payload.push(payload);
    this.#payloadBytes += payload.length;
    if (!final) return undefined;
    const frames = this.#frames;
    const text = decode(joined(this.#payload));
    this.#frames = [];
    this.#payload = [];
    this.#payloadBytes = 0;
    // Not UTF-8: the connection has to fail (RFC 6455, section 8.1).
    if (text === undefined) return { fault: CLOSE.protocolError };
    const answer = this.#rules.judge(text);
    return answer === undefined ? { forward: joined(frames) } : { answer };
  }
}

/** The payload of a client's frame, whose key stands in front of it. */
function unmasked(frame: Uint8Array, headerLength: number): Uint8Array {
  const payload = frame.slice(headerLength);
  const key = frame.subarray(headerLength - 4, headerLength);
  for (let at = 0; at < payload.length; at++) payload[at] = (payload[at] ?? 0) ^ (key[at & 3] ?? 0);
  return payload;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    // A byte order mark stays, and is then no JSON.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Without a copy where there is one part, as there is nearly always. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}
