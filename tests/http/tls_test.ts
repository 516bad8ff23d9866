import assert from "node:assert/strict";
import { AppError } from "../../src/errors.ts";
import { TlsFiles, type TlsSettings } from "../../src/http/tls.ts";
import { createCertificate } from "../harness/certificates.ts";

const NONE: TlsSettings = {
  httpsCert: undefined,
  httpsKey: undefined,
  httpsPfx: undefined,
  httpsPassphrase: undefined,
};
const PAIR: TlsSettings = { ...NONE, httpsCert: "/c.pem", httpsKey: "/k.pem" };
const PFX: TlsSettings = { ...NONE, httpsPfx: "/s.pfx", httpsPassphrase: "secret" };

type Files = Record<string, string | Uint8Array>;

function reader(files: Files): (path: string) => Promise<Uint8Array> {
  return (path) => {
    const content = files[path];
    if (content === undefined) return Promise.reject(new Deno.errors.NotFound("open"));
    return Promise.resolve(typeof content === "string" ? new TextEncoder().encode(content) : content);
  };
}

async function load(settings: TlsSettings, files: Files): Promise<TlsFiles> {
  return await TlsFiles.load(settings, reader(files));
}

async function fault(settings: TlsSettings, files: Files): Promise<string> {
  try {
    await load(settings, files);
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "usage", String(error));
    return error.message;
  }
  return assert.fail("loaded");
}

function certificatesIn(pem: string): number {
  return pem.match(/BEGIN CERTIFICATE/g)?.length ?? 0;
}

const root = createCertificate("root");
const middle = createCertificate("middle", root);
const leaf = createCertificate("localhost", middle);

Deno.test("TlsFiles takes a certificate and its key", async () => {
  const files = await load(PAIR, { "/c.pem": leaf.certPem, "/k.pem": leaf.keyPem });
  assert.equal(certificatesIn(files.current.cert), 1);
  assert.match(files.current.key, /BEGIN PRIVATE KEY/);
  assert.ok(files.current.validUntil.getTime() > Date.now());
  assert.deepEqual(files.paths, ["/c.pem", "/k.pem"]);
});

Deno.test("TlsFiles puts the chain in order and leaves the root out", async () => {
  const chain = [root, middle, leaf].map(({ certPem }) => certPem).join("");
  const files = await load(PAIR, { "/c.pem": chain, "/k.pem": leaf.keyPem });
  const norm = (pem: string): string => pem.replaceAll(/\s/g, "");
  assert.equal(norm(files.current.cert), norm(leaf.certPem + middle.certPem));
});

Deno.test("TlsFiles opens an encrypted key with the passphrase only", async () => {
  const files = { "/c.pem": leaf.certPem, "/k.pem": leaf.encryptedKey("secret") };
  const { current } = await load({ ...PAIR, httpsPassphrase: "secret" }, files);
  assert.match(current.key, /BEGIN PRIVATE KEY/);
  assert.match(
    await fault(PAIR, files),
    /"\/k.pem" for --https-key: it is encrypted.*--https-passphrase-file/,
  );
  assert.match(await fault({ ...PAIR, httpsPassphrase: "no" }, files), /the passphrase does not open it/);
});

Deno.test("TlsFiles opens a PKCS#12 file", async () => {
  const files = await load(PFX, { "/s.pfx": leaf.pfx("secret", [root, middle]) });
  assert.equal(certificatesIn(files.current.cert), 2);
  const pair = await load(PAIR, { "/c.pem": leaf.certPem, "/k.pem": leaf.keyPem });
  assert.equal(files.current.key, pair.current.key);
});

Deno.test("TlsFiles opens a PKCS#12 file with an elliptic curve and the ciphers of OpenSSL 3", async () => {
  const settings = { ...NONE, httpsPfx: "/s.pfx", httpsPassphrase: "made-for-tests" };
  const bytes = await Deno.readFile(new URL("../fixtures/elliptic_curve.pfx", import.meta.url));
  const { current } = await load(settings, { "/s.pfx": bytes });
  assert.equal(certificatesIn(current.cert), 1);
});

Deno.test("TlsFiles opens a PKCS#12 file without a passphrase", async () => {
  await load({ ...PFX, httpsPassphrase: undefined }, { "/s.pfx": leaf.pfx("") });
});

Deno.test("TlsFiles says what is wrong with a PKCS#12 file", async () => {
  const files = { "/s.pfx": leaf.pfx("other") };
  assert.match(await fault(PFX, files), /"\/s.pfx" for --https-pfx: the passphrase does not open it/);
  assert.match(await fault({ ...PFX, httpsPassphrase: undefined }, files), /it needs a passphrase/);
  assert.match(await fault(PFX, { "/s.pfx": "garbage" }), /it is no PKCS#12 file/);
  assert.match(await fault(PFX, { "/s.pfx": new Uint8Array() }), /it is no PKCS#12 file/);
});

Deno.test("TlsFiles says what is wrong with a pair, and never shows what is in it", async () => {
  const good = { "/c.pem": leaf.certPem, "/k.pem": leaf.keyPem };
  assert.match(await fault(PAIR, { "/k.pem": leaf.keyPem }), /"\/c.pem" for --https-cert: it does not exist/);
  assert.match(await fault(PAIR, { ...good, "/c.pem": leaf.keyPem }), /no certificate in PEM form/);
  assert.match(await fault(PAIR, { ...good, "/k.pem": leaf.certPem }), /no private key in PEM form/);
  assert.match(await fault(PAIR, { ...good, "/k.pem": root.keyPem }), /does not belong to the certificate/);
  const broken = leaf.keyPem.replace(/\n[A-Za-z0-9]{20}/, "\nAAAA");
  const text = await fault(PAIR, { ...good, "/k.pem": broken });
  assert.match(text, /its private key cannot be read/);
  const cert = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  assert.match(await fault(PAIR, { ...good, "/c.pem": cert }), /a certificate that cannot be read/);
});

Deno.test("TlsFiles reload() tells whether there is something new", async () => {
  const content: Files = { "/c.pem": leaf.certPem, "/k.pem": leaf.keyPem };
  const files = await load(PAIR, content);
  assert.equal(await files.reload(), false);
  content["/c.pem"] = middle.certPem;
  content["/k.pem"] = middle.keyPem;
  assert.equal(await files.reload(), true);
  assert.equal(await files.reload(), false);
});

Deno.test("TlsFiles reload() keeps what there was while the new pair does not match", async () => {
  const content: Files = { "/c.pem": leaf.certPem, "/k.pem": leaf.keyPem };
  const files = await load(PAIR, content);
  const before = files.current;
  content["/c.pem"] = middle.certPem;
  await assert.rejects(files.reload(), AppError);
  assert.equal(files.current, before);
  delete content["/k.pem"];
  await assert.rejects(files.reload(), /does not exist/);
  assert.equal(files.current, before);
});

Deno.test("TlsFiles gives what the server takes", async () => {
  const { current } = await load(PAIR, { "/c.pem": leaf.certPem + middle.certPem, "/k.pem": leaf.keyPem });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", cert: current.cert, key: current.key, onListen: () => {} },
    () => new Response("secure"),
  );
  using client = Deno.createHttpClient({ caCerts: [root.certPem] });
  const response = await fetch(`https://localhost:${server.addr.port}/`, { client });
  assert.equal(await response.text(), "secure");
  await server.shutdown();
});
