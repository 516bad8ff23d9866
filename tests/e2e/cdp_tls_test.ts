/** Managed CDP over TLS: of its own, and ended by something in front of it. */
import assert from "node:assert/strict";
import { createCertificate } from "../harness/certificates.ts";
import { bridgeCommand } from "../harness/target.ts";
import { RawWebSocket } from "../harness/raw_websocket.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun } from "./browser_run.ts";
import { inState } from "./cdp_user.ts";

Deno.test("--cdp-tls-cert and --cdp-tls-key make the address https, and its sockets wss", async (t) => {
  using folder = new BrowserFolder();
  const certificate = createCertificate("localhost");
  const cert = folder.write("cert.pem", certificate.certPem);
  const key = folder.write("key.pem", certificate.keyPem);
  using http = Deno.createHttpClient({ caCerts: [certificate.certPem] });
  await using run = await BrowserRun.start({
    folder,
    args: [
      ...["--cdp-enabled", "--cdp-port-range", "19367-19372"],
      ...["--cdp-tls-cert", cert, "--cdp-tls-key", key, "--cdp-advertised-host", "localhost"],
    ],
  });
  const { discoveryUrl, port } = await inState(run, "ready");
  assert.ok(discoveryUrl.startsWith(`https://localhost:${port}/cdp/`), "https in the report");
  const version = await (await fetch(`${discoveryUrl}/json/version`, { client: http })).json();
  assert.ok(version.webSocketDebuggerUrl.startsWith(`wss://localhost:${port}/cdp/`), "wss in discovery");
  await t.step("a socket works", async () => {
    using socket = await RawWebSocket.open(version.webSocketDebuggerUrl, { caCert: certificate.certPem });
    assert.equal((await socket.command(1, "Browser.getVersion")).result.protocolVersion, "1.3");
  });
  await t.step("a client of the plain protocol gets nothing", async () => {
    await assert.rejects(fetch(`http://localhost:${port}/json/version`));
  });
});

Deno.test("--cdp-tls-cert and --cdp-tls-key that cannot be used are named", async () => {
  using folder = new BrowserFolder();
  const [one, two] = [createCertificate("localhost"), createCertificate("localhost")];
  const files = {
    cert: folder.write("cert.pem", one.certPem),
    key: folder.write("key.pem", one.keyPem),
    other: folder.write("other.pem", two.keyPem),
  };
  const cases: readonly (readonly [cert: string, key: string, named: RegExp])[] = [
    [files.cert, files.other, /"[^"]*other\.pem" of --cdp-tls-key does not belong to/],
    [files.key, files.key, /key\.pem" for --cdp-tls-cert: it holds no certificate/],
    [files.cert, files.cert, /cert\.pem" for --cdp-tls-key: it holds no private key/],
  ];
  for (const [cert, key, named] of cases) {
    const { command, args } = bridgeCommand();
    const { code, stderr } = await new Deno.Command(command, {
      args: [
        ...[...args, "--cdp-enabled", "--cdp-port-range", "19367-19372"],
        ...["--cdp-tls-cert", cert, "--cdp-tls-key", key],
      ],
      stdin: "null",
    }).output();
    assert.equal(code, 2);
    assert.match(new TextDecoder().decode(stderr), named);
  }
});

Deno.test("a terminator of TLS in front works with the advertised scheme, host and port", async () => {
  const certificate = createCertificate("localhost");
  const offset = 100;
  await using run = await BrowserRun.start({
    args: [
      ...["--cdp-enabled", "--cdp-port-range", "19373-19378", "--cdp-advertised-scheme", "https"],
      ...["--cdp-advertised-host", "localhost", "--cdp-advertised-port-offset", String(offset)],
    ],
  });
  const { discoveryUrl, port } = await inState(run, "ready");
  assert.ok(discoveryUrl.startsWith(`https://localhost:${port + offset}/cdp/`), "where the terminator is");
  await using _outer = terminator(port + offset, port, certificate);
  using http = Deno.createHttpClient({ caCerts: [certificate.certPem] });
  const version = await (await fetch(`${discoveryUrl}/json/version`, { client: http })).json();
  assert.ok(version.webSocketDebuggerUrl.startsWith(`wss://localhost:${port + offset}/cdp/`));
  using socket = await RawWebSocket.open(version.webSocketDebuggerUrl, { caCert: certificate.certPem });
  assert.equal((await socket.command(1, "Browser.getVersion")).result.protocolVersion, "1.3");
  const { pathname } = new URL(discoveryUrl);
  const around = await fetch(`http://127.0.0.1:${port}${pathname}/json/version`);
  await around.body?.cancel();
  assert.equal(around.status, 403, "who goes around it does not use the advertised host");
});

/** Ends TLS and passes the bytes on, as a proxy of the fourth layer does. */
function terminator(
  port: number,
  to: number,
  { certPem: cert, keyPem: key }: { readonly certPem: string; readonly keyPem: string },
): AsyncDisposable {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port, cert, key });
  const serving = (async (): Promise<void> => {
    const open: Promise<unknown>[] = [];
    for await (const outer of listener) {
      open.push(
        Deno.connect({ hostname: "127.0.0.1", port: to }).then((inner) =>
          Promise.allSettled([
            outer.readable.pipeTo(inner.writable),
            inner.readable.pipeTo(outer.writable),
          ])
        ),
      );
    }
    await Promise.all(open);
  })();
  return {
    [Symbol.asyncDispose]: async (): Promise<void> => {
      listener.close();
      await serving;
    },
  };
}
