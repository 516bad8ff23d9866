/**
 * Certificate and private key of the HTTPS server, in the form that `Deno.serve` takes.
 */

import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { AppError, messageOf } from "../errors.ts";
import { describeFileFault } from "../settings/file_fault.ts";

export interface TlsSettings {
  readonly httpsCert: string | undefined;
  readonly httpsKey: string | undefined;
  readonly httpsPfx: string | undefined;
  readonly httpsPassphrase: string | undefined;
}

export interface TlsMaterial {
  /** The server's certificate and those that lead to its issuer, in PEM form. */
  readonly cert: string;
  /** PKCS#8 in PEM form, not encrypted. */
  readonly key: string;
  readonly validFrom: Date;
  readonly validUntil: Date;
}

/** Reads a whole file; rejects where it cannot. */
export type ReadFile = (path: string) => Promise<Uint8Array>;

export class TlsFiles {
  readonly #settings: TlsSettings;
  readonly #readFile: ReadFile;
  #current: TlsMaterial;

  private constructor(settings: TlsSettings, readFile: ReadFile, current: TlsMaterial) {
    this.#settings = settings;
    this.#readFile = readFile;
    this.#current = current;
  }

  /** @throws {AppError} `usage`, where a file cannot be read or what is in it cannot serve */
  static async load(settings: TlsSettings, readFile: ReadFile = Deno.readFile): Promise<TlsFiles> {
    return new TlsFiles(settings, readFile, await readMaterial(settings, readFile));
  }

  get current(): TlsMaterial {
    return this.#current;
  }

  /** The files that matter, to be watched. */
  get paths(): readonly string[] {
    const { httpsCert, httpsKey, httpsPfx } = this.#settings;
    return [httpsCert, httpsKey, httpsPfx].filter((path) => path !== undefined);
  }

  /**
   * Reads the files again. While a certificate is being renewed the pair may not match for a moment: then what was
   * there before stays.
   *
   * @returns whether there is something new
   * @throws {AppError} as `load`; `current` is unchanged then
   */
  async reload(): Promise<boolean> {
    const fresh = await readMaterial(this.#settings, this.#readFile);
    const changed = fresh.cert !== this.#current.cert || fresh.key !== this.#current.key;
    if (changed) this.#current = fresh;
    return changed;
  }
}

async function readMaterial(settings: TlsSettings, readFile: ReadFile): Promise<TlsMaterial> {
  const { httpsCert, httpsKey, httpsPfx, httpsPassphrase } = settings;
  if (httpsPfx !== undefined) return await readPfx(httpsPfx, httpsPassphrase, readFile);
  const cert = new NamedFile("--https-cert", httpsCert ?? "");
  const key = new NamedFile("--https-key", httpsKey ?? "");
  const [certText, keyText] = await Promise.all([cert.readText(readFile), key.readText(readFile)]);
  const certificates = parseCertificates(certText, cert);
  return assemble(certificates, [await parseKey(keyText, httpsPassphrase, key)], key);
}

/** A file and the flag that names it, for messages. */
class NamedFile {
  constructor(readonly flag: string, readonly path: string) {}

  async read(readFile: ReadFile): Promise<Uint8Array> {
    try {
      return await readFile(this.path);
    } catch (error) {
      throw this.fault(describeFileFault(error), error);
    }
  }

  async readText(readFile: ReadFile): Promise<string> {
    return new TextDecoder().decode(await this.read(readFile));
  }

  fault(reason: string, cause?: unknown): AppError {
    return new AppError("usage", `Cannot use "${this.path}" for ${this.flag}: ${reason}`, { cause });
  }
}

async function readPfx(
  path: string,
  passphrase: string | undefined,
  readFile: ReadFile,
): Promise<TlsMaterial> {
  const file = new NamedFile("--https-pfx", path);
  const bytes = await file.read(readFile);
  const { readPkcs12 } = await import("./pkcs12.ts");
  try {
    const { certificates, keys } = readPkcs12(bytes, passphrase);
    return assemble(certificates, keys, file);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (/password|MAC/i.test(messageOf(error))) {
      throw file.fault(
        passphrase === undefined
          ? "it needs a passphrase. Give it with --https-passphrase-file"
          : "the passphrase does not open it",
        error,
      );
    }
    throw file.fault("it is no PKCS#12 file that can be read", error);
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function parseCertificates(text: string, file: NamedFile): X509Certificate[] {
  const blocks = text.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw file.fault("it holds no certificate in PEM form");
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw file.fault("it holds a certificate that cannot be read", error);
  }
}

async function parseKey(text: string, passphrase: string | undefined, file: NamedFile): Promise<KeyObject> {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw file.fault("it holds no private key in PEM form");
  }
  const encrypted = /ENCRYPTED/.test(text);
  if (encrypted && passphrase === undefined) {
    throw file.fault("it is encrypted. Give its passphrase with --https-passphrase-file");
  }
  try {
    if (!encrypted) return createPrivateKey(text);
    const { decryptKey } = await import("./encrypted_key.ts");
    return decryptKey(text, passphrase ?? "");
  } catch (error) {
    throw file.fault(
      encrypted
        ? 'the passphrase does not open it, or its form is too old: "openssl pkcs8 -topk8" makes a new one'
        : "its private key cannot be read",
      error,
    );
  }
}

/** The certificate that belongs to one of the keys, and after it those that lead to its issuer. */
function assemble(
  certificates: readonly X509Certificate[],
  keys: readonly KeyObject[],
  file: NamedFile,
): TlsMaterial {
  for (const key of keys) {
    const identity = publicPart(createPublicKey(key.export({ type: "pkcs8", format: "pem" })));
    const own = certificates.find((certificate) => publicPart(certificate.publicKey) === identity);
    if (own === undefined) continue;
    return {
      cert: [own, ...issuersOf(own, certificates)].map(toPem).join(""),
      key: String(key.export({ type: "pkcs8", format: "pem" })),
      validFrom: new Date(own.validFrom),
      validUntil: new Date(own.validTo),
    };
  }
  throw file.fault(
    keys.length === 0 || certificates.length === 0
      ? "it must hold both a certificate and its private key"
      : "the private key does not belong to the certificate",
  );
}

/** From the certificate upwards; a root is left out, because a client has it or does not believe it. */
function issuersOf(own: X509Certificate, certificates: readonly X509Certificate[]): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let below = own;
  for (;;) {
    const issuer = certificates.find((each) => each.subject === below.issuer && !chain.includes(each));
    if (issuer === undefined || issuer === own || issuer.subject === issuer.issuer) return chain;
    chain.push(issuer);
    below = issuer;
  }
}

function publicPart(key: KeyObject): string {
  return key.export({ type: "spki", format: "der" }).toString("base64");
}

function toPem(certificate: X509Certificate): string {
  const lines = certificate.raw.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
