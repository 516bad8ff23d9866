/**
 * Takes certificates and private key out of a PKCS#12 file (RFC 7292). The runtime's TLS wants them in PEM form. In a
 * file of its own because most servers never load the library.
 */

import { Buffer } from "node:buffer";
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import forge from "node-forge";

export interface Pkcs12Content {
  readonly certificates: readonly X509Certificate[];
  readonly keys: readonly KeyObject[];
}

/** The part of an ASN.1 node that this file passes on without looking at it. */
type Asn1 = object;

/** The library knows RSA only; what it does not know it leaves as ASN.1. */
interface SafeBag {
  readonly cert?: object | null;
  readonly key?: object | null;
  readonly asn1?: Asn1 | null;
  readonly type: string;
}

/** @throws {Error} where the file is no PKCS#12 file, or the passphrase does not open it */
export function readPkcs12(bytes: Uint8Array, passphrase: string | undefined): Pkcs12Content {
  const asn1: Asn1 = forge.asn1.fromDer(forge.util.createBuffer(bytes), { strict: false });
  const bags = safeBags(asn1, passphrase);
  const certificates: X509Certificate[] = [];
  const keys: KeyObject[] = [];
  for (const bag of bags) {
    if (bag.type === forge.pki.oids.certBag) {
      const node: Asn1 | null | undefined = bag.cert ? forge.pki.certificateToAsn1(bag.cert) : bag.asn1;
      if (node) certificates.push(new X509Certificate(toDer(node)));
    } else if (bag.type === forge.pki.oids.keyBag || bag.type === forge.pki.oids.pkcs8ShroudedKeyBag) {
      const node: Asn1 | null | undefined = bag.key
        ? forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(bag.key))
        : bag.asn1;
      if (node) keys.push(createPrivateKey({ key: toDer(node), format: "der", type: "pkcs8" }));
    }
  }
  return { certificates, keys };
}

function safeBags(asn1: Asn1, passphrase: string | undefined): readonly SafeBag[] {
  const open = (password: string | undefined): readonly SafeBag[] =>
    forge.pkcs12.pkcs12FromAsn1(asn1, false, password)
      .safeContents.flatMap((content: { safeBags: readonly SafeBag[] }) => content.safeBags);
  if (passphrase !== undefined) return open(passphrase);
  // Programs do not agree on whether no passphrase is an empty one.
  try {
    return open("");
  } catch {
    return open(undefined);
  }
}

function toDer(node: Asn1): Buffer {
  return Buffer.from(forge.asn1.toDer(node).getBytes(), "latin1");
}
