import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type HeadReading,
  listHeader,
  MAX_REQUEST_LINE_BYTES,
  RequestHeadReader,
} from "../../src/cdp/request_head.ts";

const LIMIT = 16_384;
const GOOD = "GET /cdp/x/json/version?a=b HTTP/1.1\r\nHost: a:1\r\nAccept: text/plain\r\n\r\n";

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function read(text: string | Uint8Array, limit = LIMIT): HeadReading {
  return new RequestHeadReader(limit).push(typeof text === "string" ? latin1(text) : text);
}

function outcome(text: string, limit = LIMIT): string {
  const reading = read(text, limit);
  return reading.state === "refused" ? reading.code : reading.state;
}

function withHeaders(...headers: readonly string[]): string {
  return ["GET / HTTP/1.1", "Host: a", ...headers, "\r\n"].join("\r\n");
}

Deno.test("RequestHeadReader reads a request as it stands", () => {
  const reading = read(
    "PUT /cdp/x/json/new?http://a/%41?b HTTP/1.1\r\nHost:a:1\r\nX-Two: 1\r\nx-two:\t 2 3 \r\nEmpty:\r\n\r\n",
  );
  assert.ok(reading.state === "done");
  const { head } = reading;
  assert.equal(head.method, "PUT");
  assert.equal(head.path, "/cdp/x/json/new");
  assert.equal(head.query, "http://a/%41?b");
  assert.deepEqual(Object.fromEntries(head.headers), { host: ["a:1"], "x-two": ["1", "2 3"], empty: [""] });
  assert.equal(head.hasBody, false);
});

Deno.test("RequestHeadReader tells no query from an empty one", () => {
  const none = read("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
  const empty = read("GET /a? HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.ok(none.state === "done" && empty.state === "done");
  assert.equal(none.head.query, undefined);
  assert.equal(empty.head.query, "");
});

Deno.test("RequestHeadReader refuses every other form of target and version", () => {
  const lines = [
    "GET http://a/ HTTP/1.1",
    "GET * HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "CONNECT a:443 HTTP/1.1",
    "GET a HTTP/1.1",
    "GET  / HTTP/1.1",
    "GET /  HTTP/1.1",
    "GET\t/ HTTP/1.1",
    " GET / HTTP/1.1",
    "GET / HTTP/1.1 ",
    "GET /#x HTTP/1.1",
    "GET /a b HTTP/1.1",
    "GET /\u00e9 HTTP/1.1",
    "GET / HTTP/1.0",
    "GET / HTTP/2.0",
    "GET / http/1.1",
    "GET /",
    "G@T / HTTP/1.1",
    "",
  ];
  for (const line of lines) assert.equal(outcome(`${line}\r\nHost: a\r\n\r\n`), "bad_request", line);
});

Deno.test("RequestHeadReader refuses headers that could be read in two ways", () => {
  const heads = {
    "no Host": "GET / HTTP/1.1\r\nAccept: a\r\n\r\n",
    "two Hosts": withHeaders("host: a"),
    "blank before the colon": withHeaders("X-A : b"),
    "folded line": withHeaders("X-A: b", " c"),
    "folded line with a tab": withHeaders("X-A: b", "\tc"),
    "no colon": withHeaders("nonsense"),
    "no name": withHeaders(": a"),
    "blank in a name": withHeaders("X A: b"),
    "bare LF": "GET / HTTP/1.1\nHost: a\n\n",
    "LF after one line": "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
    "bare CR": withHeaders("X-A: b\rc: d"),
    "NUL": withHeaders("X-A: b\0c"),
    "escape": withHeaders("X-A: b\x1b[0m"),
    "DEL": withHeaders("X-A: b\x7f"),
    "two lengths": withHeaders("Content-Length: 0", "Content-Length: 0"),
    "list of lengths": withHeaders("Content-Length: 0, 0"),
    "signed length": withHeaders("Content-Length: +1"),
    "hexadecimal length": withHeaders("Content-Length: 0x1"),
    "empty length": withHeaders("Content-Length:"),
    "length and encoding": withHeaders("Content-Length: 3", "Transfer-Encoding: chunked"),
    "a second request": `${GOOD}GET`,
  };
  for (const [what, text] of Object.entries(heads)) assert.equal(outcome(text), "bad_request", what);
});

Deno.test("RequestHeadReader tells a request with a body", () => {
  const hasBody = (...headers: readonly string[]): boolean => {
    const reading = read(withHeaders(...headers));
    assert.ok(reading.state === "done");
    return reading.head.hasBody;
  };
  assert.equal(hasBody("Content-Length: 0"), false);
  assert.equal(hasBody("Content-Length: 000"), false);
  assert.equal(hasBody("Content-Length: 5"), true);
  assert.equal(hasBody("Content-Length: 99999999999999999999"), true);
  assert.equal(hasBody("Transfer-Encoding: chunked"), true);
  assert.equal(hasBody("Transfer-Encoding: identity"), true);
  assert.equal(outcome(`${withHeaders("Content-Length: 5")}hello`), "done");
});

Deno.test("RequestHeadReader takes headers of exactly the limit, and not one byte more", () => {
  const head = (size: number): string => {
    const rest = "Host: a\r\n".length + "X: \r\n".length + 2;
    return `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(size - rest)}\r\n\r\n`;
  };
  assert.equal(outcome(head(LIMIT)), "done");
  assert.equal(outcome(head(LIMIT + 1)), "headers_too_large");
  assert.equal(outcome(head(1024), 1024), "done");
  assert.equal(outcome(head(1025), 1024), "headers_too_large");
});

Deno.test("RequestHeadReader refuses a request line or headers that never end", () => {
  assert.equal(outcome(`GET /${"a".repeat(MAX_REQUEST_LINE_BYTES)}`), "headers_too_large");
  assert.equal(outcome(`GET / HTTP/1.1\r\nX: ${"a".repeat(LIMIT)}`), "headers_too_large");
  assert.equal(outcome(`GET / HTTP/1.1\r\n${"X: y\r\n".repeat(LIMIT / 5)}`), "headers_too_large");
});

Deno.test("RequestHeadReader refuses other protocols with their first bytes", () => {
  assert.equal(outcome("PRI * HTTP/2.0\r\n"), "bad_request");
  assert.equal(outcome("\x16"), "bad_request");
  assert.equal(outcome("\x80\x2e"), "more", "only a line that is complete shows it");
  assert.equal(outcome("SSH-2.0-OpenSSH_9.2\r\n"), "bad_request");
  assert.equal(outcome("\r\n"), "bad_request");
});

Deno.test("listHeader() parts the items of one or several headers", () => {
  const reading = read(withHeaders("Connection: keep-alive ,Upgrade", "Connection: , x"));
  assert.ok(reading.state === "done");
  assert.deepEqual(listHeader(reading.head, "connection"), ["keep-alive", "upgrade", "x"]);
  assert.deepEqual(listHeader(reading.head, "absent"), []);
});

/** Bytes that matter to the reader more often than by chance. */
const piece = fc.oneof(
  fc.constantFrom(
    "\r\n",
    "\n",
    "\r",
    "\r\n\r\n",
    " ",
    "\t",
    ":",
    "/",
    "?",
    "#",
    "\0",
    "HTTP/1.1",
    "Host: a\r\n",
  ),
  fc.constantFrom(
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "GET ",
    "PRI * HTTP/2.0",
    "\x16\x03\x01",
  ),
  fc.string({ unit: "binary-ascii", maxLength: 12 }),
  fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
);

const mutated = fc.tuple(
  fc.array(fc.record({ at: fc.nat({ max: GOOD.length }), cut: fc.nat({ max: 4 }), put: piece }), {
    maxLength: 4,
  }),
).map(([changes]) =>
  changes.reduce((text, { at, cut, put }) => text.slice(0, at) + put + text.slice(at + cut), GOOD)
);

const random = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

Deno.test("RequestHeadReader reads the same however the bytes are cut, and never throws", () => {
  fc.assert(
    fc.property(fc.oneof(mutated, random), fc.array(fc.integer({ min: 1, max: 9 })), (text, cuts) => {
      const bytes = latin1(text);
      const whole = read(bytes);
      const reader = new RequestHeadReader(LIMIT);
      let reading: HeadReading = { state: "more" };
      let at = 0;
      for (const size of [...cuts, bytes.length]) {
        if (reading.state !== "more" || at >= bytes.length) break;
        reading = reader.push(bytes.subarray(at, at + size));
        at += size;
      }
      // What follows a request is seen only in the chunk that ends it.
      if (whole.state === "refused" && reading.state === "done") {
        assert.equal(read(bytes.subarray(0, at)).state, "done");
      } else assert.deepEqual(reading, whole);
    }),
    { numRuns: 5000 },
  );
});

Deno.test("RequestHeadReader takes only what is one request and nothing else", () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(mutated, random), (text) => {
      const reading = read(text);
      if (reading.state !== "done") return;
      taken++;
      const { head } = reading;
      // Written out again it is the same request, line for line.
      const [requestLine = "", ...lines] = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n");
      assert.equal(
        requestLine,
        `${head.method} ${head.path}${head.query === undefined ? "" : `?${head.query}`} HTTP/1.1`,
      );
      assert.equal(lines.length, Array.from(head.headers.values()).flat().length);
      assert.equal(head.headers.get("host")?.length, 1);
      for (const line of lines) {
        const colon = line.indexOf(":");
        const value = line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, "");
        assert.ok(head.headers.get(line.slice(0, colon).toLowerCase())?.includes(value), line);
      }
      assert.ok(text.endsWith("\r\n\r\n") || head.hasBody);
    }),
    { numRuns: 10_000 },
  );
  assert.ok(taken > 100, `${taken} of the mutated heads were requests`);
});
