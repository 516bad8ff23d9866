import assert from "node:assert/strict";
import { AppError } from "../../src/errors.ts";
import { Listener } from "../../src/http/listener.ts";
import type { TlsMaterial } from "../../src/http/tls.ts";
import { createCertificate } from "../harness/certificates.ts";
import { fingerprintOf, servedFingerprint } from "../harness/tls_probe.ts";

const TCP = { httpHost: "127.0.0.1", httpPort: 0, httpSocket: undefined };
const root = createCertificate("root");
const [one, two] = [createCertificate("localhost", root), createCertificate("localhost", root)];

function material({ certPem, keyPem }: { certPem: string; keyPem: string }): TlsMaterial {
  return { cert: certPem, key: keyPem, validFrom: new Date(), validUntil: new Date() };
}

const hello = (): Promise<Response> => Promise.resolve(new Response("hello"));

function portOf({ addr }: Listener): number {
  assert.ok("port" in addr);
  return addr.port;
}

function refused(error: unknown): true {
  assert.ok(error instanceof AppError && error.code === "cannot_bind", String(error));
  return true;
}

const HOW = [
  { how: "sharing the port", sharesPorts: true, ignore: Deno.build.os !== "linux" },
  { how: "binding it again", sharesPorts: false, ignore: false },
];

for (const { how, sharesPorts, ignore } of HOW) {
  for (const http2 of [true, false]) {
    const name = `Listener renew() lets requests of HTTP/${
      http2 ? 2 : 1
    } go on while it changes the certificate`;
    Deno.test({ name: `${name}, ${how}`, ignore }, () => renewsUnder(sharesPorts, http2));
  }
}

async function renewsUnder(sharesPorts: boolean, http2: boolean): Promise<void> {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (stream = controller) });
  const handler = (): Promise<Response> => Promise.resolve(new Response(body));
  const listener = await Listener.open(TCP, material(one), handler, sharesPorts);
  const port = portOf(listener);
  using client = Deno.createHttpClient({ caCerts: [root.certPem], http2, http1: !http2 });
  const response = await fetch(`https://127.0.0.1:${port}/`, { client });
  assert.equal(await servedFingerprint(port), fingerprintOf(one.certPem));
  await listener.renew(material(two));
  assert.equal(portOf(listener), port);
  for (let connection = 0; connection < 20; connection++) {
    assert.equal(await servedFingerprint(port), fingerprintOf(two.certPem));
  }
  stream?.enqueue(new TextEncoder().encode("after"));
  stream?.close();
  assert.equal(await response.text(), "after");
  await listener.close();
  await assert.rejects(servedFingerprint(port));
}

Deno.test("Listener renew() keeps the old certificate where the new one cannot be served", async () => {
  const listener = await Listener.open(TCP, material(one), hello);
  await assert.rejects(listener.renew({ ...material(two), key: "none" }));
  assert.equal(await servedFingerprint(portOf(listener)), fingerprintOf(one.certPem));
  await listener.close();
});

Deno.test("Listener renew() after close() opens nothing", async () => {
  const listener = await Listener.open(TCP, material(one), hello);
  const port = portOf(listener);
  await listener.close();
  await listener.renew(material(two));
  await assert.rejects(servedFingerprint(port));
});

Deno.test("Listener open() refuses a port that is in use, also by a server that renews certificates", async () => {
  for (const tls of [undefined, material(one)]) {
    const listener = await Listener.open(TCP, tls, hello);
    const address = { ...TCP, httpPort: portOf(listener) };
    for (const other of [undefined, material(two)]) {
      await assert.rejects(Listener.open(address, other, hello), refused);
    }
    if (tls !== undefined) await listener.renew(material(two));
    await assert.rejects(Listener.open(address, material(two), hello), refused);
    await listener.close();
  }
});

Deno.test("Listener close() cuts what does not end, on old servers too", async () => {
  const never = (): Promise<Response> => new Promise(() => {});
  const listener = await Listener.open(TCP, material(one), never);
  using client = Deno.createHttpClient({ caCerts: [root.certPem] });
  const abort = new AbortController();
  const answer = fetch(`https://127.0.0.1:${portOf(listener)}/`, { client, signal: abort.signal });
  const settled = answer.then(() => "answered", () => "cut");
  await listener.renew(material(two));
  const from = performance.now();
  await listener.close();
  assert.ok(performance.now() - from < 2_000);
  abort.abort();
  assert.equal(await settled, "cut");
});
