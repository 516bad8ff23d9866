/**
 * Reads the body of a request once, within bounds.
 */

import { settlesWithin } from "../../platform/deadline.ts";
import { RPC_CODE } from "../../protocol/json_rpc.ts";
import { refuse, type Verdict } from "../refusal.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  /** How long the whole body may take; a client that sends a byte now and then would hold its memory for ever. */
  readonly timeoutMs: number;
}

/**
 * @returns the bytes as they came, but on one line
 */
export async function readBody(
  request: Request,
  limits: BodyLimits,
): Promise<Verdict<{ readonly bytes: Uint8Array; readonly value: unknown }>> {
  let read: Awaited<ReturnType<typeof readBytes>>;
  try {
    read = await readBytes(request, limits);
  } catch {
    // A connection that has failed, whose client hears nothing any more, or chunks that are none.
    return refuse(400, "body", "Bad Request: the body cannot be read", { headers: { Connection: "close" } });
  }
  if (!read.ok) return read;
  try {
    // A byte order mark is no JSON (RFC 8259, section 8.1), and upstream would choke on it.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(read.bytes);
    return { ok: true, value: JSON.parse(text), bytes: onOneLine(read.bytes) };
  } catch {
    return refuse(400, "body", "Parse error: Invalid JSON", { code: RPC_CODE.parseError });
  }
}

/**
 * What is read of a body behind its bound and thrown away: closing a connection on which a client is still sending
 * destroys the answer on its way.
 */
const DISCARDED_BYTES = 8 * 1024 * 1024;

/**
 * A body that is declared to be no larger is read in one piece: almost every message is, and the objects of a stream
 * would be a quarter of what a request costs.
 */
const ONE_PIECE_BYTES = 64 * 1024;

async function readBytes(
  request: Request,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<Verdict<{ readonly bytes: Uint8Array }>> {
  const declared = request.headers.get("content-length");
  if (declared !== null && !/^[0-9]+$/.test(declared)) {
    return refuse(400, "body", "Bad Request: malformed Content-Length");
  }
  if (Number(declared) > maxBytes) return tooLarge(maxBytes);
  if (declared !== null && Number(declared) <= ONE_PIECE_BYTES) {
    const reading = request.bytes();
    if (!await settlesWithin(reading, timeoutMs)) return tooLate();
    const bytes = await reading;
    return bytes.length > maxBytes ? tooLarge(maxBytes) : { ok: true, bytes };
  }
  if (request.body === null) return { ok: true, bytes: new Uint8Array() };
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    // Ends the read that waits, and with it the loop.
    void reader.cancel().catch(() => {});
  }, timeoutMs);
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.length;
      if (size > maxBytes + DISCARDED_BYTES) {
        void reader.cancel().catch(() => {});
        break;
      }
      if (size > maxBytes) chunks.length = 0;
      else chunks.push(read.value);
    }
  } finally {
    clearTimeout(timer);
  }
  if (late) return tooLate();
  if (size > maxBytes) return tooLarge(maxBytes);
  return { ok: true, bytes: concat(chunks, size) };
}

function tooLate(): ReturnType<typeof refuse> {
  return refuse(408, "body", "Request Timeout: the body took too long", { headers: { Connection: "close" } });
}

function tooLarge(maxBytes: number): ReturnType<typeof refuse> {
  // The rest of the body is not read, so the connection can carry no other request.
  return refuse(
    413,
    "body_size",
    `Request body too large: at most ${maxBytes} bytes, see --http-max-body-bytes`,
    {
      headers: { Connection: "close" },
    },
  );
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;

/**
 * Upstream reads a message a line. In valid JSON a line end can only stand between tokens, so a blank in its place
 * changes nothing, while writing the parsed value anew would lose the digits of large numbers.
 */
function onOneLine(bytes: Uint8Array): Uint8Array {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === LINE_FEED || bytes[at] === CARRIAGE_RETURN) bytes[at] = BLANK;
  }
  return bytes;
}
