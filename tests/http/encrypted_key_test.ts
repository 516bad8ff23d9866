import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import forge from "node-forge";
import { decryptKey } from "../../src/http/encrypted_key.ts";
import { createCertificate } from "../harness/certificates.ts";

const certificate = createCertificate("localhost");
const plain = createPrivateKey(certificate.keyPem).export({ type: "pkcs8", format: "pem" });

Deno.test("decryptKey() opens a PKCS#8 key, whatever stands before it", () => {
  const text = `${certificate.certPem}${certificate.encryptedKey("secret")}`;
  assert.equal(decryptKey(text, "secret").export({ type: "pkcs8", format: "pem" }), plain);
});

Deno.test("decryptKey() opens an RSA key in the older form of OpenSSL", () => {
  const old = forge.pki.encryptRsaPrivateKey(forge.pki.privateKeyFromPem(certificate.keyPem), "secret", {
    algorithm: "aes256",
  });
  assert.equal(decryptKey(old, "secret").export({ type: "pkcs8", format: "pem" }), plain);
});

Deno.test("decryptKey() throws where the passphrase does not open it", () => {
  assert.throws(() => decryptKey(certificate.encryptedKey("secret"), "no"));
  assert.throws(() => decryptKey("garbage", "no"));
});
