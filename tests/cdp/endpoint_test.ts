/** What the endpoint answers, over real sockets, with a DevTools port that is no browser. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { newCapability } from "../../src/cdp/capability.ts";
import { MAX_WAITING_CONNECTIONS } from "../../src/cdp/endpoint.ts";
import { BROWSER_ID, type DiscoveryFault, PAGE_ID } from "../fixtures/fake_devtools.ts";
import { createCertificate } from "../harness/certificates.ts";
import { parseResponse, RawConnection, rawRequest, type RawResponse } from "../harness/raw_http.ts";
import { until } from "../harness/until.ts";
import { EndpointRun } from "./endpoint_run.ts";
import { EndpointSetting } from "./endpoint_setting.ts";

/** Everything received until the endpoint closes. */
async function exchange(port: number, bytes: string | Uint8Array): Promise<string> {
  using connection = await RawConnection.open(port);
  await connection.write(bytes);
  await connection.closed();
  return connection.received;
}

function refusal(status: string, code: string, message: string, headers = ""): string {
  const body = JSON.stringify({ error: { code, message } });
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n` +
    `Cache-Control: no-store\r\n${headers}Connection: close\r\n\r\n${body}`;
}

const NOT_FOUND = refusal("404 Not Found", "not_found", "CDP endpoint not found");
const BAD_REQUEST = refusal("400 Bad Request", "bad_request", "Invalid CDP request");
const FORBIDDEN = refusal("403 Forbidden", "forbidden", "CDP request forbidden");
const UNAVAILABLE = refusal("503 Service Unavailable", "unavailable", "CDP endpoint unavailable");
const TOO_LARGE = refusal(
  "431 Request Header Fields Too Large",
  "headers_too_large",
  "CDP request headers are too large",
);
const BODY = refusal("413 Content Too Large", "payload_too_large", "CDP request body is not allowed");

function codeOf(response: RawResponse): string {
  return `${response.status} ${JSON.parse(response.body).error.code}`;
}

Deno.test("CdpEndpoint answers discovery with addresses of its own", async () => {
  await using setting = EndpointSetting.start({
    advertised: { scheme: "https", host: "svc.example", port: 9443 },
  });
  const { run, fake } = setting;
  const base = `wss://svc.example:9443/cdp/${run.capability}`;
  assert.equal(run.endpoint.discoveryUrl(), base.replace("wss", "https"));
  const headers = [
    "Host: svc.example:9443",
    "X-Forwarded-Host: evil.example",
    "Cookie: a=b",
    "Origin: https://svc.example:9443",
  ];
  const version = await rawRequest(run.port, `GET ${run.path("/json/version/")}`, headers);
  assert.equal(version.status, 200);
  assert.deepEqual(Object.fromEntries(version.headers), {
    "cache-control": "no-store",
    "connection": "close",
    "content-length": String(version.body.length),
    "content-type": "application/json; charset=utf-8",
  });
  assert.deepEqual(JSON.parse(version.body), {
    Browser: "Fake/1.0",
    webSocketDebuggerUrl: `${base}/devtools/browser/${BROWSER_ID}`,
  });
  const list = await rawRequest(run.port, `GET ${run.path("/json")}`, headers);
  assert.deepEqual(JSON.parse(list.body), [{
    id: PAGE_ID,
    title: "Ünï",
    type: "page",
    url: "about:blank",
    webSocketDebuggerUrl: `${base}/devtools/page/${PAGE_ID}`,
  }]);
  const created = await rawRequest(run.port, `PUT ${run.path("/json/new/?http://a/%20b")}`, headers);
  assert.equal(JSON.parse(created.body).asked, "/json/new?http://a/%20b");
  const closed = await rawRequest(run.port, `GET ${run.path(`/json/close/${PAGE_ID}/`)}`, headers);
  assert.deepEqual([closed.body, closed.headers.get("content-type")], [
    "Target is closing",
    "text/plain; charset=utf-8",
  ]);
  assert.equal((await rawRequest(run.port, `GET ${run.path("/json/protocol")}`, headers)).status, 200);
  for (const head of fake.heads) {
    assert.match(
      head,
      /^(GET|PUT) \/json\/\S+ HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\nConnection: close\r\n\r\n$/,
    );
  }
  assert.equal(run.traffic, fake.heads.length);
});

Deno.test("CdpEndpoint gives a stranger the same answer everywhere", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  const nearly = run.capability.slice(0, 42) + (run.capability.endsWith("A") ? "E" : "A");
  const paths = [
    "/",
    "/json/version",
    "/cdp",
    "/cdp/",
    `/cdp/${nearly}/json/version`,
    `/cdp/${newCapability()}/json/version`,
    `/cdp/${run.capability.slice(0, 42)}/json/version`,
    `/cdp/${run.capability}A/json/version`,
    `/CDP/${run.capability}/json/version`,
    `/cdp//${run.capability}/json/version`,
    `/cdp/%${run.capability}/json`,
    `/cdp/${nearly}/json/version?x`,
    `/devtools/browser/${BROWSER_ID}`,
  ];
  const others = [
    [],
    ["Origin: http://evil.example"],
    ["Origin: null"],
    ["Content-Length: 5"],
    ["Upgrade: websocket", "Connection: Upgrade"],
  ];
  for (const path of paths) {
    for (const method of ["GET", "POST"]) {
      for (const headers of others) {
        for (const host of [run.host, "Host: evil.example", "Host: a b"]) {
          const head = [`${method} ${path} HTTP/1.1`, host, ...headers, "\r\n"].join("\r\n");
          assert.equal(await exchange(run.port, head), NOT_FOUND, head);
        }
      }
    }
  }
  // Whoever has the capability learns no more of paths that are not there.
  for (const rest of ["", "/", "/other", "/json/%6cist", "/devtools/page/A"]) {
    assert.equal(
      await exchange(run.port, `GET ${run.path(rest)} HTTP/1.1\r\n${run.host}\r\n\r\n`),
      NOT_FOUND,
      rest,
    );
  }
  assert.equal(await exchange(run.port, `HEAD / HTTP/1.1\r\n${run.host}\r\n\r\n`), NOT_FOUND.split("{")[0]);
  assert.equal(fake.heads.length, 0);
});

Deno.test("CdpEndpoint refuses in the order of its checks", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  const ask = (requestLine: string, ...headers: readonly string[]): Promise<string> =>
    exchange(run.port, [`${requestLine} HTTP/1.1`, ...headers, "\r\n"].join("\r\n"));
  const evil = "Host: evil.example";
  const body = "Content-Length: 5";
  assert.equal(await ask(`POST ${run.path("/json/version?x")}`, evil, body), BAD_REQUEST);
  const notAllowed = (method: string): string =>
    refusal("405 Method Not Allowed", "method_not_allowed", "CDP method not allowed", `Allow: ${method}\r\n`);
  assert.equal(await ask(`POST ${run.path("/json/version")}`, evil, body), notAllowed("GET"));
  assert.equal(await ask(`GET ${run.path("/json/new")}`, evil, body), notAllowed("PUT"));
  assert.equal(await ask(`OPTIONS ${run.path("/json")}`, run.host), notAllowed("GET"));
  assert.equal(await ask(`GET ${run.path("/json/version")}`, evil, body), BODY);
  assert.equal(await ask(`GET ${run.path("/json/version")}`, run.host, "Transfer-Encoding: chunked"), BODY);
  assert.equal(
    await ask(`GET ${run.path("/json/version")}`, "Host: a b", "Origin: http://evil.example"),
    BAD_REQUEST,
  );
  assert.equal(await ask(`GET ${run.path("/json/version")}`, evil, "Origin: null"), FORBIDDEN);
  assert.equal(await ask(`GET ${run.path("/json/version")}`, run.host, "Origin: null"), BAD_REQUEST);
  assert.equal(
    await ask(`GET ${run.path("/json/version")}`, run.host, "Origin: http://evil.example"),
    FORBIDDEN,
  );
  assert.equal(
    await ask(`GET ${run.path("/json/version")}`, run.host, "Sec-Fetch-Site: cross-site"),
    FORBIDDEN,
  );
  assert.equal(fake.heads.length, 0);
  assert.equal(run.traffic, 0);
  const plain = await ask(`GET ${run.path("/json/version")}`, run.host, "Expect: 100-continue");
  assert.equal(parseResponse(plain).status, 200);
});

Deno.test("CdpEndpoint refuses what is no request, whoever sends it", async () => {
  await using setting = EndpointSetting.start({ limits: { requestTimeoutMs: 400 } });
  const { run } = setting;
  const good = `GET ${run.path("/json/version")} HTTP/1.1\r\n${run.host}\r\n`;
  const hello = Uint8Array.of(0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, ...new Array(500).fill(7));
  for (
    const bytes of [
      hello,
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      `${good}${run.host}\r\n\r\n`,
      `${good}\r\n${good}\r\n`,
      `${good}X: a\r\n b\r\n\r\n`,
      good.replaceAll("\r\n", "\n") + "\n",
      good.replace("GET /", "GET http://127.0.0.1/") + "\r\n",
      "\0",
    ]
  ) assert.equal(await exchange(run.port, bytes), BAD_REQUEST);
  assert.equal(await exchange(run.port, `${good}X: ${"a".repeat(17_000)}`), TOO_LARGE);
  assert.equal(await exchange(run.port, `GET /${"a".repeat(9_000)}`), TOO_LARGE);
  const timedOut = refusal("408 Request Timeout", "request_timeout", "CDP request timed out");
  assert.equal(await exchange(run.port, good), timedOut);
  assert.equal(await exchange(run.port, `${good}X: never`), timedOut);
});

Deno.test("CdpEndpoint survives random and mutated requests", async () => {
  await using setting = EndpointSetting.start({ limits: { requestTimeoutMs: 300 } });
  const { run } = setting;
  const good = `GET ${run.path("/json/version")} HTTP/1.1\r\n${run.host}\r\nOrigin: http://127.0.0.1\r\n\r\n`;
  const change = fc.record({
    at: fc.nat({ max: good.length }),
    cut: fc.nat({ max: 6 }),
    put: fc.oneof(
      fc.constantFrom("\r\n", "\r\n\r\n", "\n", "?", "%", "Upgrade: websocket\r\n"),
      fc.string({ maxLength: 8 }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const bytes = changes.reduce(
        (text, { at, cut, put }) => text.slice(0, at) + put + text.slice(at + cut),
        good,
      );
      const received = await exchange(run.port, `${bytes}\r\n\r\n`);
      const { status, headers, body } = parseResponse(received);
      assert.ok([200, 400, 403, 404, 405, 413, 503].includes(status), received);
      assert.equal(new TextEncoder().encode(body).length, Number(headers.get("content-length")));
    }),
    { numRuns: 300 },
  );
});

Deno.test("CdpEndpoint maps what Chromium does wrong", async () => {
  await using setting = EndpointSetting.start({ limits: { requestTimeoutMs: 300 } });
  const { run, fake } = setting;
  const faults: readonly [DiscoveryFault, string][] = [
    [{ status: 404 }, "404 upstream_error"],
    [{ status: 403 }, "403 upstream_error"],
    [{ status: 500 }, "502 bad_gateway"],
    ["redirect", "502 bad_gateway"],
    ["invalid JSON", "502 bad_gateway"],
    ["foreign address", "502 bad_gateway"],
    ["oversize", "502 bad_gateway"],
    ["oversize without a length", "502 bad_gateway"],
    ["reset", "502 bad_gateway"],
    ["never", "504 gateway_timeout"],
  ];
  for (const [fault, expected] of faults) {
    fake.discoveryFault = fault;
    const asked = fake.heads.length;
    const response = await rawRequest(run.port, `GET ${run.path("/json/list")}`, [run.host]);
    assert.equal(codeOf(response), expected, JSON.stringify(fault));
    assert.equal(fake.heads.length, asked + 1, "asked once");
    assert.ok(!response.body.includes(String(fake.port)));
  }
  fake.discoveryFault = undefined;
  assert.equal((await rawRequest(run.port, `GET ${run.path("/json/list")}`, [run.host])).status, 200);
  assert.ok(run.endpoint.discoveryUrl() !== undefined, "no fault of one answer is the loss of the browser");
});

Deno.test("CdpEndpoint asks for so many at a time, and no more", async () => {
  await using setting = EndpointSetting.start({ limits: { maxHttpRequests: 3 } });
  const { run, fake } = setting;
  fake.discoveryFault = "never";
  const head = `GET ${run.path("/json/list")} HTTP/1.1\r\n${run.host}\r\n\r\n`;
  const waiting = Array.from({ length: 3 }, () => exchange(run.port, head));
  await until("three requests wait", () => fake.heads.length === 3, 5_000);
  assert.equal(await exchange(run.port, head), UNAVAILABLE);
  run.endpoint.invalidate();
  for (const answer of await Promise.all(waiting)) assert.equal(answer, UNAVAILABLE);
  assert.equal(await exchange(run.port, head), NOT_FOUND);
});

Deno.test("CdpEndpoint forgets a capability at once, and takes a new one on the same port", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  const head = (capability: string): string =>
    `GET /cdp/${capability}/json/list HTTP/1.1\r\n${run.host}\r\n\r\n`;
  run.endpoint.invalidate();
  run.endpoint.invalidate();
  assert.equal(run.endpoint.discoveryUrl(), undefined);
  assert.equal(await exchange(run.port, head(run.capability)), NOT_FOUND);
  const next = newCapability();
  run.endpoint.publish({ capability: next, port: fake.port });
  assert.equal(await exchange(run.port, head(run.capability)), NOT_FOUND);
  assert.equal(parseResponse(await exchange(run.port, head(next))).status, 200);
});

Deno.test("CdpEndpoint counts what it refuses and tells of it once", async () => {
  const setting = EndpointSetting.start();
  const { run } = setting;
  for (let count = 0; count < 5; count++) {
    await exchange(run.port, `GET /cdp/x/json HTTP/1.1\r\n${run.host}\r\n\r\n`);
  }
  await exchange(run.port, `GET /elsewhere HTTP/1.1\r\n${run.host}\r\n\r\n`);
  await exchange(run.port, `GET ${run.path("/json")} HTTP/1.1\r\nHost: evil.example\r\n\r\n`);
  await exchange(run.port, `GET ${run.path("/json")} HTTP/1.1\r\n${run.host}\r\nOrigin: null\r\n\r\n`);
  await setting[Symbol.asyncDispose]();
  const told = run.log.filter((line) => line.includes("cdp_security_rejections"));
  assert.equal(told.length, 1);
  assert.match(told[0] ?? "", / WARN .* capability=5 host=1 origin=1 window_seconds=\d$/);
});

Deno.test("CdpEndpoint is not locked by connections that say nothing", async () => {
  await using setting = EndpointSetting.start();
  const { run } = setting;
  const idle = await Promise.all(
    Array.from({ length: MAX_WAITING_CONNECTIONS }, () => RawConnection.open(run.port)),
  );
  const response = await rawRequest(run.port, `GET ${run.path("/json/version")}`, [run.host]);
  assert.equal(response.status, 200);
  await idle[0]?.closed();
  for (const connection of idle) connection[Symbol.dispose]();
});

Deno.test("CdpEndpoint closes with connections in every state, and its port is free", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  fake.discoveryFault = "never";
  using silent = await RawConnection.open(run.port);
  using half = await RawConnection.open(run.port);
  await half.write("GET / HT");
  using asking = await RawConnection.open(run.port);
  await asking.write(`GET ${run.path("/json/list")} HTTP/1.1\r\n${run.host}\r\n\r\n`);
  await until("Chromium is asked", () => fake.heads.length === 1, 5_000);
  const from = performance.now();
  await Promise.all([run.endpoint.close(), run.endpoint.close()]);
  assert.ok(performance.now() - from < 2_000);
  await silent.closed();
  await half.closed();
  await asking.closed();
  assert.equal(asking.received, UNAVAILABLE);
  await assert.rejects(RawConnection.open(run.port), Deno.errors.ConnectionRefused);
  Deno.listen({ hostname: "127.0.0.1", port: run.port }).close();
});

Deno.test("CdpEndpoint is everything unknown without a target", async () => {
  await using run = new EndpointRun();
  assert.equal(run.endpoint.discoveryUrl(), undefined);
  assert.equal(run.endpoint.activeConnections, 0);
  assert.equal(
    await exchange(run.port, `GET /cdp/${"A".repeat(43)}/json HTTP/1.1\r\n${run.host}\r\n\r\n`),
    NOT_FOUND,
  );
});

Deno.test("CdpEndpoint speaks TLS by itself, and shrugs at a client that does not", async () => {
  const certificate = createCertificate("localhost");
  await using setting = EndpointSetting.start({
    tls: { cert: certificate.certPem, key: certificate.keyPem },
    advertised: { host: "localhost" },
  });
  const { run } = setting;
  using plain = await RawConnection.open(run.port);
  await plain.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await plain.closed();
  const http = Deno.createHttpClient({ caCerts: [certificate.certPem] });
  const response = await fetch(`https://localhost:${run.port}${run.path("/json/version")}`, { client: http });
  const { webSocketDebuggerUrl } = await response.json();
  http.close();
  assert.equal(
    webSocketDebuggerUrl,
    `wss://localhost:${run.port}${run.path(`/devtools/browser/${BROWSER_ID}`)}`,
  );
});

Deno.test("CdpEndpoint ends although a client has never begun TLS", async () => {
  const { certPem: cert, keyPem: key } = createCertificate("localhost");
  await using setting = EndpointSetting.start({ tls: { cert, key }, limits: { requestTimeoutMs: 300 } });
  // The runtime gives no way to close a connection in its handshake: it lasts as long as its client wants.
  using _silent = await RawConnection.open(setting.run.port);
  await setting.run.endpoint.close();
});
