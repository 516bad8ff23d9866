/** Sockets through the endpoint, with a DevTools port that is no browser. */
import assert from "node:assert/strict";
import { CLOSE_GRACE_MS } from "../../src/cdp/tunnel.ts";
import { OPCODE, serverFrame } from "../../src/cdp/frames.ts";
import { BROWSER_ID, PAGE_ID, type SocketFault } from "../fixtures/fake_devtools.ts";
import { createCertificate } from "../harness/certificates.ts";
import { readMemory } from "../harness/proc_stat.ts";
import { RawConnection } from "../harness/raw_http.ts";
import { clientFrame, RawWebSocket, type Refused } from "../harness/raw_websocket.ts";
import { passed, until } from "../harness/until.ts";
import { EndpointSetting } from "./endpoint_setting.ts";

const MIB = 1024 * 1024;

async function refusalOf(url: string, headers: readonly string[] = []): Promise<string> {
  const opened = await RawWebSocket.try(url, { headers });
  if (!(opened instanceof RawWebSocket)) return codeOf(opened);
  opened[Symbol.dispose]();
  return "open";
}

function codeOf({ status, text }: Refused): string {
  return `${status} ${JSON.parse(text.slice(text.indexOf("{"))).error.code}`;
}

Deno.test("a tunnel carries text, binary, pings and fragments to every target, and nothing of the client's head", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  const headers = [
    "Sec-WebSocket-Extensions: permessage-deflate",
    "Sec-WebSocket-Protocol: a, b",
    "Cookie: a=b",
  ];
  for (const rest of ["", "/", `/devtools/browser/${BROWSER_ID}`, `/devtools/page/${PAGE_ID}`]) {
    using socket = await RawWebSocket.open(run.socketUrl(rest), { headers });
    await socket.sendText("hello");
    assert.equal(await socket.text(), "hello");
    await socket.send(OPCODE.binary, Uint8Array.of(1, 2, 3));
    assert.deepEqual(await socket.message(), { opcode: OPCODE.binary, payload: Uint8Array.of(1, 2, 3) });
    await socket.send(OPCODE.ping, Uint8Array.of(9));
    assert.deepEqual(await socket.message(), { opcode: OPCODE.pong, payload: Uint8Array.of(9) });
    await socket.send(OPCODE.text, new TextEncoder().encode("a"), false);
    await socket.send(OPCODE.continuation, new TextEncoder().encode("b"));
    assert.equal(await socket.text(), "ab");
    assert.equal(run.endpoint.activeConnections, 1);
    await socket.send(OPCODE.close, Uint8Array.of(0x0f, 0xa0));
    assert.equal(await socket.closeCode(), 4000, "what Chromium closes with passes");
    await until("the tunnel has ended", () => run.endpoint.activeConnections === 0, 5_000);
  }
  assert.ok(run.traffic >= 4);
  for (const head of fake.heads.filter((each) => each.includes("Upgrade"))) {
    assert.match(
      head,
      new RegExp(
        `^GET /devtools/\\S+ HTTP/1.1\r\nHost: 127.0.0.1:${fake.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          "Sec-WebSocket-Key: \\S+\r\nSec-WebSocket-Version: 13\r\n\r\n$",
      ),
    );
  }
});

Deno.test("an upgrade is refused in the order of its checks", async () => {
  await using setting = EndpointSetting.start({ limits: { maxConnections: 1 } });
  const { run, fake } = setting;
  const evil = ["Origin: http://evil.example"];
  assert.equal(await refusalOf(run.socketUrl("/json/version"), evil), "404 not_found");
  assert.equal(await refusalOf(run.socketUrl(`/devtools/page/${PAGE_ID}?x`), evil), "404 not_found");
  assert.equal(await refusalOf(run.socketUrl("/devtools/worker/A"), evil), "404 not_found");
  assert.equal(await refusalOf(run.socketUrl("/devtools/page/a.b"), evil), "400 bad_request");
  using open = await RawWebSocket.open(run.socketUrl());
  assert.equal(await refusalOf(run.socketUrl(), evil), "403 forbidden");
  assert.equal(await refusalOf(run.socketUrl(), ["Origin: null"]), "400 bad_request");
  assert.equal(await refusalOf(run.socketUrl(), ["Sec-WebSocket-Version: 8"]), "503 unavailable");
  open[Symbol.dispose]();
  await until("the tunnel has ended", () => run.endpoint.activeConnections === 0, 5_000);
  const heads = fake.heads.length;
  for (
    const wrong of [
      "Sec-WebSocket-Version: 8",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      "Upgrade: h2c",
      "Sec-WebSocket-Protocol: a, a",
      "Sec-WebSocket-Protocol: a b",
      "Sec-WebSocket-Protocol:",
    ]
  ) assert.equal(await refusalOf(run.socketUrl(), [wrong]), "400 bad_request", wrong);
  assert.equal(await refusalOf(run.socketUrl(), ["Content-Length: 3"]), "413 payload_too_large");
  for (
    const [from, to] of [["GET", "POST"], ["Version: 13", "Version: 12"], ["QUFB", "!"], ["websocket", "x"], [
      "Connection: Upgrade",
      "Connection: close",
    ]]
  ) {
    const head = [
      `GET ${run.path("")} HTTP/1.1`,
      run.host,
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Key: QUFBQUFBQUFBQUFBQUFBQQ==",
      "Sec-WebSocket-Version: 13",
      "\r\n",
    ].join("\r\n").replace(from ?? "", to ?? "");
    using connection = await RawConnection.open(run.port);
    await connection.write(head);
    await connection.closed();
    assert.match(connection.received, /^HTTP\/1\.1 400 /, head);
  }
  assert.equal(fake.heads.length, heads);
});

Deno.test("a client that offers subprotocols gets the first of them", async () => {
  await using setting = EndpointSetting.start();
  const head = [
    `GET ${setting.run.path("")} HTTP/1.1`,
    setting.run.host,
    ...["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"],
    ...["Sec-WebSocket-Key: QUFBQUFBQUFBQUFBQUFBQQ==", "Sec-WebSocket-Protocol: a, b", "\r\n"],
  ];
  using connection = await RawConnection.open(setting.run.port);
  await connection.write(head.join("\r\n"));
  await until("an answer", () => connection.received.includes("\r\n\r\n"), 5_000);
  assert.match(connection.received, /^HTTP\/1\.1 101 .*\r\nSec-WebSocket-Protocol: a\r\n/s);
});

Deno.test("an upgrade that Chromium does not take is refused", async () => {
  await using setting = EndpointSetting.start({ limits: { requestTimeoutMs: 300 } });
  const { run, fake } = setting;
  const faults: readonly [SocketFault, string][] = [
    [{ status: 403 }, "403 upstream_error"],
    [{ status: 404 }, "404 upstream_error"],
    [{ status: 500 }, "502 bad_gateway"],
    [{ status: 302 }, "502 bad_gateway"],
    ["wrong accept", "502 bad_gateway"],
    ["reset", "502 bad_gateway"],
    ["never", "504 gateway_timeout"],
  ];
  for (const [fault, expected] of faults) {
    fake.socketFault = fault;
    assert.equal(
      await refusalOf(run.socketUrl(`/devtools/page/${PAGE_ID}`)),
      expected,
      JSON.stringify(fault),
    );
  }
  fake.socketFault = undefined;
  fake.discoveryFault = "never";
  assert.equal(await refusalOf(run.socketUrl()), "504 gateway_timeout");
  fake.discoveryFault = undefined;
  assert.equal(await refusalOf(run.socketUrl()), "open");
  assert.ok(run.endpoint.discoveryUrl() !== undefined);
});

Deno.test("tunnels are limited, with those that are being opened, and capacity returns", async () => {
  await using setting = EndpointSetting.start({ limits: { maxConnections: 2 } });
  const { run, fake } = setting;
  fake.socketFault = "never";
  using pending = await RawConnection.open(run.port);
  await pending.write(
    `GET ${run.path(`/devtools/page/${PAGE_ID}`)} HTTP/1.1\r\n${run.host}\r\nUpgrade: websocket\r\n` +
      "Connection: Upgrade\r\nSec-WebSocket-Key: QUFBQUFBQUFBQUFBQUFBQQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
  );
  await until("Chromium is asked", () => fake.heads.length === 1, 5_000);
  fake.socketFault = undefined;
  using first = await RawWebSocket.open(run.socketUrl());
  assert.equal(await refusalOf(run.socketUrl()), "503 unavailable");
  first[Symbol.dispose]();
  await until("the tunnel has ended", () => run.endpoint.activeConnections === 0, 5_000);
  using second = await RawWebSocket.open(run.socketUrl());
  await second.sendText("a");
  assert.equal(await second.text(), "a");
  run.endpoint.invalidate();
  await pending.closed();
  assert.match(pending.received, /^HTTP\/1\.1 503 /);
});

Deno.test("a dead capability closes its tunnels with 1001, and Chromium's side at once", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  using socket = await RawWebSocket.open(run.socketUrl());
  await socket.sendText("a");
  await socket.text();
  run.endpoint.invalidate();
  assert.equal(run.endpoint.activeConnections, 0);
  assert.equal(await socket.closeCode(), 1001);
  await until("no inner socket is left", () => fake.connections === 0, 1_000);
  assert.equal(await refusalOf(run.socketUrl()), "404 not_found");
});

Deno.test("a tunnel in the middle of a frame is cut, because a close frame cannot stand there", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  fake.socketFault = "half a frame";
  using socket = await RawWebSocket.open(run.socketUrl());
  await passed(100);
  run.endpoint.invalidate();
  assert.equal(await socket.closeCode(), 1006);
  run.endpoint.publish({ capability: run.capability, port: fake.port });
  fake.socketFault = "half a frame and the end";
  using other = await RawWebSocket.open(run.socketUrl());
  assert.equal(await other.closeCode(), 1006);
});

Deno.test("a browser that is gone closes its tunnels with 1001", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  using socket = await RawWebSocket.open(run.socketUrl());
  await socket.sendText("a");
  await socket.text();
  fake.drop();
  assert.equal(await socket.closeCode(1_000), 1001);
});

Deno.test("a client that is gone ends its tunnel on both sides", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  for (const leave of ["close", "half-close"] as const) {
    using socket = await RawWebSocket.open(run.socketUrl());
    await socket.sendText("a");
    await socket.text();
    if (leave === "close") socket[Symbol.dispose]();
    else await socket.socket.closeWrite();
    await until("no inner socket is left", () => fake.connections === 0, 2_000);
    await until("the tunnel has ended", () => run.endpoint.activeConnections === 0, 2_000);
  }
});

Deno.test("a client that never reads holds Chromium back and no memory, and is cut at the end", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  fake.socketFault = "flood";
  using socket = await RawWebSocket.open(run.socketUrl());
  let sent = -1;
  await until("the flood stands still", async () => {
    const before = sent;
    sent = fake.sent;
    await passed(200);
    return sent > 0 && sent === before;
  }, 10_000);
  // Buffers of the kernel on four ends of sockets, and one chunk.
  assert.ok(sent < 40 * MIB, `${sent / MIB} MiB were taken`);
  const from = performance.now();
  await run.endpoint.close();
  const took = performance.now() - from;
  assert.ok(took < CLOSE_GRACE_MS + 1_000, `${took} ms`);
  assert.equal(await socket.closeCode(), 1006);
});

Deno.test("a Chromium that never reads holds the client back", async () => {
  await using setting = EndpointSetting.start();
  const { run, fake } = setting;
  fake.socketFault = "deaf";
  using socket = await RawWebSocket.open(run.socketUrl());
  const before = readMemory(Deno.pid)?.residentBytes ?? 0;
  let written = 0;
  const chunk = clientFrame(OPCODE.binary, new Uint8Array(MIB));
  const flooding = (async (): Promise<void> => {
    for (; written < 200; written++) await socket.sendRaw(chunk);
  })().catch(() => {});
  let seen = -1;
  await until("the flood stands still", async () => {
    const last = seen;
    seen = written;
    await passed(200);
    return seen === last;
  }, 10_000);
  assert.ok(written < 40, `${written} MiB were taken`);
  assert.ok((readMemory(Deno.pid)?.residentBytes ?? 0) - before < 100 * MIB);
  fake.drop();
  run.endpoint.invalidate();
  await flooding;
});

Deno.test("a message bound closes with 1009 on either way, and exactly the bound passes", async () => {
  await using setting = EndpointSetting.start({ limits: { maxMessageBytes: 100_000 } });
  const { run, fake } = setting;
  {
    using socket = await RawWebSocket.open(run.socketUrl());
    await socket.send(OPCODE.binary, new Uint8Array(100_000));
    assert.equal((await socket.message())?.payload.length, 100_000);
    await socket.send(OPCODE.binary, new Uint8Array(100_001));
    assert.equal(await socket.closeCode(), 1009);
  }
  using socket = await RawWebSocket.open(run.socketUrl());
  await socket.sendText("a");
  await socket.text();
  await fake.broadcast(serverFrame(OPCODE.binary, new Uint8Array(100_001)));
  assert.equal(await socket.closeCode(), 1009);
});

Deno.test("a refused method is answered between frames of Chromium, and never reaches it", async () => {
  await using setting = EndpointSetting.start({ denied: ["Browser.close"] });
  const { run, fake } = setting;
  using socket = await RawWebSocket.open(run.socketUrl());
  for (let id = 1; id <= 50; id++) {
    const method = id % 2 === 0 ? "Browser.close" : "Browser.getVersion";
    await socket.sendText(JSON.stringify({ id, method, pad: "x".repeat(id * 1000) }));
  }
  const refused: number[] = [];
  const echoed: number[] = [];
  for (let count = 0; count < 50; count++) {
    const message = JSON.parse(await socket.text());
    (message.error === undefined ? echoed : refused).push(message.id);
  }
  assert.deepEqual(refused, Array.from({ length: 25 }, (_, index) => 2 * index + 2));
  assert.deepEqual(echoed, Array.from({ length: 25 }, (_, index) => 2 * index + 1));
  assert.equal(fake.texts.length, 25);
  assert.ok(fake.texts.every((text) => !text.includes("Browser.close")));
  await socket.send(OPCODE.binary, Uint8Array.of(1));
  assert.equal(await socket.closeCode(), 1003);
});

Deno.test("tunnels to 8 targets at once keep their bytes apart", async () => {
  await using setting = EndpointSetting.start();
  const { run } = setting;
  await Promise.all(Array.from({ length: 8 }, async (_, index) => {
    using socket = await RawWebSocket.open(run.socketUrl());
    for (let round = 0; round < 20; round++) {
      const payload = new Uint8Array(round * 5_000).fill(index);
      await socket.send(OPCODE.binary, payload);
      const echo = await socket.message();
      assert.equal(echo?.payload.length, payload.length);
      assert.ok(echo.payload.every((byte) => byte === index));
    }
  }));
});

Deno.test("a tunnel works over TLS and closes in order", async () => {
  const certificate = createCertificate("localhost");
  await using setting = EndpointSetting.start({
    tls: { cert: certificate.certPem, key: certificate.keyPem },
    advertised: { host: "localhost" },
  });
  const { run, fake } = setting;
  const url = `wss://localhost:${run.port}${run.path("")}`;
  using socket = await RawWebSocket.open(url, { caCert: certificate.certPem });
  await socket.send(OPCODE.binary, new Uint8Array(3 * MIB));
  assert.equal((await socket.message())?.payload.length, 3 * MIB);
  run.endpoint.invalidate();
  assert.equal(await socket.closeCode(), 1001);
  await until("no inner socket is left", () => fake.connections === 0, 1_000);
});
