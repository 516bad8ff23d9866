/**
 * What it takes to be a client of an X display: the cookie that lets one in, and the greeting (X11 protocol, "Connection
 * Setup").
 */

import { writeAll } from "./write_all.ts";

const COOKIE_NAME = "MIT-MAGIC-COOKIE-1";

/** The secret of a display, of which Xvfb and its clients each have a copy in a file. */
export interface XCookie {
  readonly name: typeof COOKIE_NAME;
  readonly data: Uint8Array;
}

export function newCookie(): XCookie {
  return { name: COOKIE_NAME, data: crypto.getRandomValues(new Uint8Array(16)) };
}

/** Any address, and with an empty number any display: the file belongs to one display only (Xau(3)). */
const FAMILY_WILD = 0xffff;

/** The content of an authority file: an entry is a family and four counted texts, all in big endian. */
export function authorityFile({ name, data }: XCookie): Uint8Array {
  const fields = [new Uint8Array(), new Uint8Array(), new TextEncoder().encode(name), data];
  const bytes: number[] = [FAMILY_WILD >> 8, FAMILY_WILD & 0xff];
  for (const field of fields) bytes.push(field.length >> 8, field.length & 0xff, ...field);
  return Uint8Array.from(bytes);
}

/**
 * The cookie for a display in the content of an authority file, whichever address it was made for; undefined where there
 * is none.
 */
export function cookieFor(display: number, authority: Uint8Array): XCookie | undefined {
  const view = new DataView(authority.buffer, authority.byteOffset, authority.byteLength);
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  for (let at = 0; at + 2 <= authority.length;) {
    at += 2; // the family
    const fields: Uint8Array[] = [];
    for (let index = 0; index < 4; index++) {
      if (at + 2 > authority.length) return undefined;
      const length = view.getUint16(at);
      fields.push(authority.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
    const [, number = new Uint8Array(), name = new Uint8Array(), data = new Uint8Array()] = fields;
    const isFor = number.length === 0 || text(number) === String(display);
    if (isFor && text(name) === COOKIE_NAME) return { name: COOKIE_NAME, data };
  }
  return undefined;
}

/** A display's socket has its number behind it. On Linux it also listens there without a file. */
const SOCKET_PATHS = ["/tmp/.X11-unix/X", "\0/tmp/.X11-unix/X"] as const;

const LITTLE_ENDIAN = 0x6c;
const PROTOCOL_MAJOR = 11;
const REFUSED = 0;
const ACCEPTED = 1;

/** Of the part of an answer that every answer has. */
const ANSWER_BYTES = 8;

/**
 * Becomes a client of a display on this machine.
 *
 * @returns the connection, which counts as a client while it is open; undefined where the display does not take it
 */
export async function connectToDisplay(number: number, cookie?: XCookie): Promise<Deno.Conn | undefined> {
  const socket = await connect(number);
  if (socket === undefined) return undefined;
  try {
    if (await greet(socket, cookie) === undefined) return socket;
  } catch {
    // It went away meanwhile.
  }
  socket.close();
  return undefined;
}

/**
 * Asks a display to take a client.
 *
 * @returns undefined where it does, and the connection then counts as one; else why not, as the end of a sentence
 */
export async function greet(socket: Deno.Conn, cookie?: XCookie): Promise<string | undefined> {
  await writeAll(socket, setupRequest(cookie));
  const answer = await readExactly(socket, ANSWER_BYTES);
  if (answer?.[0] === ACCEPTED) return undefined;
  if (answer?.[0] !== REFUSED) return "it is no X server";
  const reason = await readExactly(socket, answer[1] ?? 0);
  return `it does not let this user in: ${new TextDecoder().decode(reason).trim()}`;
}

/** @returns undefined where the other side ends before */
async function readExactly(socket: Deno.Conn, length: number): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(length);
  for (let got = 0; got < length;) {
    const count = await socket.read(bytes.subarray(got));
    if (count === null) return undefined;
    got += count;
  }
  return bytes;
}

async function connect(number: number): Promise<Deno.Conn | undefined> {
  for (const path of SOCKET_PATHS) {
    try {
      return await Deno.connect({ transport: "unix", path: `${path}${number}` });
    } catch {
      // Not there.
    }
  }
  return undefined;
}

function setupRequest(cookie: XCookie | undefined): Uint8Array {
  const name = new TextEncoder().encode(cookie?.name ?? "");
  const data = cookie?.data ?? new Uint8Array();
  const request = new Uint8Array(12 + padded(name.length) + padded(data.length));
  const view = new DataView(request.buffer);
  view.setUint8(0, LITTLE_ENDIAN);
  view.setUint16(2, PROTOCOL_MAJOR, true);
  view.setUint16(6, name.length, true);
  view.setUint16(8, data.length, true);
  request.set(name, 12);
  request.set(data, 12 + padded(name.length));
  return request;
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}
