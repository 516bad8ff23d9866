/**
 * Reads the head of one HTTP/1.1 request (RFC 9112) from its bytes, strictly: what two servers could read in two ways
 * is refused. A connection carries one request, without a body, so there is nothing to find the end of but the head.
 */

import { Buffer } from "node:buffer";

export interface RequestHead {
  readonly method: string;
  /** As it came: nothing is decoded or normalised. */
  readonly path: string;
  /** What stands behind the first question mark, undefined without one. */
  readonly query: string | undefined;
  /** Values by name in lower case, in the order in which they came, without the blanks around them. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** A body is announced, of whatever length but none. */
  readonly hasBody: boolean;
}

export type HeadReading =
  | { readonly state: "more" }
  | { readonly state: "refused"; readonly code: "bad_request" | "headers_too_large" }
  | { readonly state: "done"; readonly head: RequestHead };

/** Long enough for the page that `PUT /json/new` opens. */
export const MAX_REQUEST_LINE_BYTES = 8192;

const TAB = 0x09, LF = 0x0a, CR = 0x0d, SPACE = 0x20, DELETE = 0x7f;
const MORE: HeadReading = { state: "more" };
const BAD: HeadReading = { state: "refused", code: "bad_request" };
const TOO_LARGE: HeadReading = { state: "refused", code: "headers_too_large" };

/** Origin form only: neither `http://…` of proxies, nor `host:port` of CONNECT, nor the asterisk of OPTIONS. */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) (\/[!"$-~]*) HTTP\/1\.1$/;
/** No blank before the colon (RFC 9112, section 5.1), and none at the start, which would continue the line before. */
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*(.*?)[\t ]*$/s;

/**
 * Takes the bytes of a connection as they come. Every byte is looked at once, and what cannot become a request any more
 * is refused with the first byte that shows it: a TLS hello with its first, the preface of HTTP/2 with its first line.
 */
export class RequestHeadReader {
  readonly #bytes: Buffer;
  readonly #maxHeaderBytes: number;
  #length = 0;
  #lineStart = 0;
  /** Where the header lines start; 0 until the request line is complete. */
  #headersStart = 0;
  #requestLine: { method: string; path: string; query: string | undefined } | undefined;
  readonly #headers = new Map<string, string[]>();

  /** @param maxHeaderBytes of all header lines with their ends and the empty line, without the request line */
  constructor(maxHeaderBytes: number) {
    this.#maxHeaderBytes = maxHeaderBytes;
    this.#bytes = Buffer.alloc(MAX_REQUEST_LINE_BYTES + maxHeaderBytes + 1);
  }

  /** Whether anything has come. */
  get started(): boolean {
    return this.#length > 0;
  }

  /** Not to be called again once the answer is another one than `more`. */
  push(chunk: Uint8Array): HeadReading {
    for (let at = 0; at < chunk.length; at++) {
      const reading = this.#take(chunk[at] ?? 0);
      if (reading.state === "more") continue;
      // Nothing may follow a request without a body: neither a second request nor frames before the handshake is done.
      const surplus = at + 1 < chunk.length;
      return reading.state === "done" && surplus && !reading.head.hasBody ? BAD : reading;
    }
    return MORE;
  }

  #take(byte: number): HeadReading {
    const afterCr = this.#length > 0 && this.#bytes[this.#length - 1] === CR;
    if (afterCr !== (byte === LF)) return BAD;
    if ((byte < SPACE && byte !== TAB && byte !== CR && byte !== LF) || byte === DELETE) return BAD;
    const at = this.#length++;
    this.#bytes[at] = byte;
    if (
      this.#requestLine === undefined
        ? at >= MAX_REQUEST_LINE_BYTES
        : this.#headerBytes > this.#maxHeaderBytes
    ) {
      return TOO_LARGE;
    }
    return byte === LF ? this.#endLine(at - 1) : MORE;
  }

  get #headerBytes(): number {
    return this.#length - this.#headersStart;
  }

  #endLine(end: number): HeadReading {
    // Not with a TextDecoder, to which latin1 is another name of windows-1252.
    const line = this.#bytes.toString("latin1", this.#lineStart, end);
    this.#lineStart = this.#length;
    if (this.#requestLine === undefined) return this.#readRequestLine(line);
    return line === "" ? this.#finish(this.#requestLine) : this.#readHeader(line);
  }

  #readRequestLine(line: string): HeadReading {
    const [, method, target = ""] = REQUEST_LINE.exec(line) ?? [];
    if (method === undefined) return BAD;
    const mark = target.indexOf("?");
    this.#requestLine = {
      method,
      path: mark < 0 ? target : target.slice(0, mark),
      query: mark < 0 ? undefined : target.slice(mark + 1),
    };
    this.#headersStart = this.#length;
    return MORE;
  }

  #readHeader(line: string): HeadReading {
    const [, name, value = ""] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined) return BAD;
    const values = this.#headers.get(name.toLowerCase());
    if (values === undefined) this.#headers.set(name.toLowerCase(), [value]);
    else values.push(value);
    return MORE;
  }

  #finish(requestLine: { method: string; path: string; query: string | undefined }): HeadReading {
    const headers = this.#headers;
    if (headers.get("host")?.length !== 1) return BAD;
    const lengths = headers.get("content-length");
    const encoded = headers.has("transfer-encoding");
    if (lengths !== undefined && (encoded || lengths.length > 1 || !/^[0-9]+$/.test(lengths[0] ?? ""))) {
      return BAD;
    }
    const hasBody = encoded || (lengths !== undefined && !/^0+$/.test(lengths[0] ?? ""));
    return { state: "done", head: { ...requestLine, headers, hasBody } };
  }
}

/** The items of a list header, in lower case; blanks around them and empty ones are left out (RFC 9110, section 5.6.1). */
export function listHeader(head: RequestHead, name: string): string[] {
  return (head.headers.get(name) ?? []).join(",").toLowerCase().split(",")
    .map((item) => item.replace(/^[\t ]+|[\t ]+$/g, ""))
    .filter((item) => item !== "");
}
