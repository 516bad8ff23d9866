import assert from "node:assert/strict";
import { readPkcs12 } from "../../src/http/pkcs12.ts";
import { createCertificate } from "../harness/certificates.ts";

const issuer = createCertificate("issuer");
const certificate = createCertificate("localhost", issuer);

Deno.test("readPkcs12() gives certificates and key", () => {
  const { certificates, keys } = readPkcs12(certificate.pfx("secret", [issuer]), "secret");
  assert.deepEqual(certificates.map(({ subject }) => subject).sort(), ["CN=issuer", "CN=localhost"]);
  assert.deepEqual(keys.map(({ asymmetricKeyType }) => asymmetricKeyType), ["rsa"]);
});

Deno.test("readPkcs12() gives a key on an elliptic curve too", async () => {
  const bytes = await Deno.readFile(new URL("../fixtures/elliptic_curve.pfx", import.meta.url));
  const { certificates, keys } = readPkcs12(bytes, "made-for-tests");
  assert.equal(certificates.length, 1);
  assert.deepEqual(keys.map(({ asymmetricKeyType }) => asymmetricKeyType), ["ec"]);
});

Deno.test("readPkcs12() takes a missing passphrase for an empty one", () => {
  assert.equal(readPkcs12(certificate.pfx(""), undefined).keys.length, 1);
});

Deno.test("readPkcs12() throws where the passphrase does not open the file", () => {
  assert.throws(() => readPkcs12(certificate.pfx("secret"), "other"));
  assert.throws(() => readPkcs12(certificate.pfx("secret"), undefined));
  assert.throws(() => readPkcs12(new Uint8Array([1, 2, 3]), "secret"));
});
