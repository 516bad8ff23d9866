/** Certificates of an issuer of our own, made anew for each run, so that none can expire. */

import { Buffer } from "node:buffer";
import { generateKeyPairSync } from "node:crypto";
import forge from "node-forge";

const DAY_MS = 86_400_000;
const VALID_DAYS = 30;

export interface TestCertificate {
  readonly name: string;
  readonly certPem: string;
  readonly keyPem: string;
  /** The private key under a passphrase. */
  encryptedKey(passphrase: string): string;
  /** Certificate, further certificates and key in one file. */
  pfx(passphrase: string, others?: readonly TestCertificate[]): Uint8Array;
}

/**
 * @param issuer signs the certificate; without one it signs itself
 * @param host that a certificate for another host than loopback is good for
 */
export function createCertificate(name: string, issuer?: TestCertificate, host?: string): TestCertificate {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const key = forge.pki.privateKeyFromPem(privateKey);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(key.n, key.e);
  certificate.serialNumber = `01${Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex")}`;
  certificate.validity.notBefore = new Date(Date.now() - DAY_MS);
  certificate.validity.notAfter = new Date(Date.now() + VALID_DAYS * DAY_MS);
  certificate.setSubject([{ name: "commonName", value: name }]);
  certificate.setIssuer([{ name: "commonName", value: issuer?.name ?? name }]);
  certificate.setExtensions([
    { name: "basicConstraints", cA: name !== "localhost" && host === undefined },
    {
      name: "subjectAltName",
      altNames: [{ type: 2, value: host ?? "localhost" }, { type: 7, ip: "127.0.0.1" }],
    },
  ]);
  certificate.sign(issuer ? forge.pki.privateKeyFromPem(issuer.keyPem) : key, forge.md.sha256.create());
  const certPem = forge.pki.certificateToPem(certificate);
  return {
    name,
    certPem,
    keyPem: privateKey,
    encryptedKey: (passphrase) => {
      const info = forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(key));
      const algorithm = { algorithm: "aes256" };
      return forge.pki.encryptedPrivateKeyToPem(forge.pki.encryptPrivateKeyInfo(info, passphrase, algorithm));
    },
    pfx: (passphrase, others = []) => {
      const chain = [certPem, ...others.map((other) => other.certPem)];
      const options = { algorithm: "3des" };
      const asn1 = forge.pkcs12.toPkcs12Asn1(key, chain, passphrase, options);
      return Buffer.from(forge.asn1.toDer(asn1).getBytes(), "latin1");
    },
  };
}
