/** Tells which certificate a port serves to new connections. */
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";

/** SHA-256 of the certificate that a new connection gets, in the form of `fingerprintOf`. */
export async function servedFingerprint(port: number): Promise<string> {
  const served = Promise.withResolvers<string>();
  const closed = Promise.withResolvers<void>();
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
    served.resolve(new X509Certificate(Buffer.from(socket.getPeerCertificate().raw)).fingerprint256);
    socket.destroy();
  });
  socket.on("error", served.reject);
  socket.on("close", () => closed.resolve());
  try {
    return await served.promise;
  } finally {
    await closed.promise;
  }
}

export function fingerprintOf(certPem: string): string {
  return new X509Certificate(certPem).fingerprint256;
}
