/**
 * What it takes to be a client of an X display: the cookie that lets one in, and the greeting (X11 protocol, "Connection
 * Setup").
 */

/** The secret of a display, of which Xvfb and its clients each have a copy in a file. */
export interface XCookie {
  readonly name: "MIT-MAGIC-COOKIE-1";
  readonly data: Uint8Array;
}

export function newCookie(): XCookie {
  return { name: "MIT-MAGIC-COOKIE-1", data: crypto.getRandomValues(new Uint8Array(16)) };
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

/** A display's socket has its number behind it. On Linux it also listens there without a file. */
const SOCKET_PATHS = ["/tmp/.X11-unix/X", "\0/tmp/.X11-unix/X"] as const;

const LITTLE_ENDIAN = 0x6c;
const PROTOCOL_MAJOR = 11;
const ACCEPTED = 1;

/**
 * Becomes a client of a display on this machine.
 *
 * @returns the connection, which counts as a client while it is open; undefined where the display does not take it
 */
export async function connectToDisplay(number: number, cookie?: XCookie): Promise<Deno.Conn | undefined> {
  const socket = await connect(number);
  if (socket === undefined) return undefined;
  try {
    await socket.write(setupRequest(cookie));
    const answer = new Uint8Array(8);
    if (await socket.read(answer) !== null && answer[0] === ACCEPTED) return socket;
  } catch {
    // It went away meanwhile.
  }
  socket.close();
  return undefined;
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
