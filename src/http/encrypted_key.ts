/**
 * Opens private keys in PEM form that are encrypted. The runtime itself knows some of the ciphers only, and which ones
 * depends on its version. In a file of its own because most servers never load the library.
 */

import { Buffer } from "node:buffer";
import { createPrivateKey, type KeyObject } from "node:crypto";
import forge from "node-forge";

const BLOCK = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[^]+?-----END \1-----/;

/**
 * PKCS#8 keys of every kind, and RSA keys in the older form of OpenSSL.
 *
 * @throws {Error} where the passphrase does not open it, or the form is another one
 */
export function decryptKey(text: string, passphrase: string): KeyObject {
  const [pem = "", kind] = BLOCK.exec(text) ?? [];
  const info: object | null = kind === "ENCRYPTED PRIVATE KEY"
    ? forge.pki.decryptPrivateKeyInfo(forge.pki.encryptedPrivateKeyFromPem(pem), passphrase)
    : wrap(forge.pki.decryptRsaPrivateKey(pem, passphrase));
  if (info === null) throw new Error("the passphrase does not open the key");
  const der = Buffer.from(forge.asn1.toDer(info).getBytes(), "latin1");
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

function wrap(key: object | null): object | null {
  return key && forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(key));
}
