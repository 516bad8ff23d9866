/**
 * WebSocket frames (RFC 6455, section 5.2): their headers, and the few that we make.
 */

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Codes that we close with (RFC 6455, section 7.4.1). */
export const CLOSE = {
  goingAway: 1001,
  protocolError: 1002,
  unsupportedData: 1003,
  messageTooBig: 1009,
  internalError: 1011,
} as const;
export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];

const REASONS: Readonly<Record<CloseCode, string>> = {
  1001: "going_away",
  1002: "protocol_error",
  1003: "unsupported_data",
  1009: "message_too_big",
  1011: "internal_error",
};

export interface FrameHeader {
  readonly final: boolean;
  /** Bits for extensions, of which we negotiate none. */
  readonly reserved: number;
  readonly opcode: number;
  readonly masked: boolean;
  /** Bytes of this header, with the masking key. */
  readonly headerLength: number;
  /** `Infinity` where a number cannot hold it. */
  readonly payloadLength: number;
}

/** The header that starts at `at`, or undefined while it is not complete. */
export function readFrameHeader(bytes: Uint8Array, at = 0): FrameHeader | undefined {
  const available = bytes.length - at;
  if (available < 2) return undefined;
  const first = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  const masked = (second & 0x80) !== 0;
  const short = second & 0x7f;
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  const headerLength = 2 + lengthBytes + (masked ? 4 : 0);
  if (available < headerLength) return undefined;
  let payloadLength = lengthBytes === 0 ? short : 0;
  for (let index = 0; index < lengthBytes; index++) {
    payloadLength = payloadLength * 256 + (bytes[at + 2 + index] ?? 0);
  }
  if (!Number.isSafeInteger(payloadLength)) payloadLength = Infinity;
  return {
    final: (first & 0x80) !== 0,
    reserved: (first >> 4) & 7,
    opcode: first & 0x0f,
    masked,
    headerLength,
    payloadLength,
  };
}

export function isControl(opcode: number): boolean {
  return opcode >= 8;
}

/** A whole message of a server: one frame without a mask. */
export function serverFrame(opcode: number, payload: Uint8Array): Uint8Array {
  const length = payload.length;
  const lengthBytes = length > 0xffff ? 8 : length > 125 ? 2 : 0;
  const frame = new Uint8Array(2 + lengthBytes + length);
  frame[0] = 0x80 | opcode;
  frame[1] = lengthBytes === 8 ? 127 : lengthBytes === 2 ? 126 : length;
  for (let index = 0, rest = length; index < lengthBytes; index++, rest = Math.floor(rest / 256)) {
    frame[1 + lengthBytes - index] = rest % 256;
  }
  frame.set(payload, 2 + lengthBytes);
  return frame;
}

export function textFrame(text: string): Uint8Array {
  return serverFrame(OPCODE.text, new TextEncoder().encode(text));
}

export function closeFrame(code: CloseCode): Uint8Array {
  const reason = new TextEncoder().encode(REASONS[code]);
  return serverFrame(OPCODE.close, Uint8Array.of(code >> 8, code & 0xff, ...reason));
}
