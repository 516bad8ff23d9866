/**
 * The ports that this process may lease to CDP clients, and how they are listened on.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { CdpAddress } from "../cdp/endpoint.ts";
import { type CdpListener, PortPool } from "../cdp/port_pool.ts";
import { AppError } from "../errors.ts";
import { canUseCdp } from "../settings/cdp_rules.ts";
import { describeFileFault } from "../settings/file_fault.ts";
import { parsePortRange } from "../settings/port_range.ts";
import type { Settings } from "../settings/settings.ts";

/** @returns undefined where no session of this process can have a CDP address */
export async function openPortPool(settings: Settings): Promise<PortPool | undefined> {
  const { cdpPortRange, cdpHost: hostname, cdpTlsCert, cdpTlsKey } = settings;
  const range = parsePortRange(cdpPortRange ?? "");
  if (range === undefined || !canUseCdp(settings)) return undefined;
  const tls = cdpTlsCert === undefined || cdpTlsKey === undefined ? undefined : {
    cert: await readText("--cdp-tls-cert", cdpTlsCert),
    key: await readText("--cdp-tls-key", cdpTlsKey),
  };
  if (tls !== undefined) checkPair(tls, String(cdpTlsCert), String(cdpTlsKey));
  const listen = (port: number): CdpListener =>
    tls === undefined ? Deno.listen({ hostname, port }) : Deno.listenTls({ hostname, port, ...tls });
  return new PortPool({ range, listen });
}

/** The address that clients are told for a leased port. */
export function advertisedAddress(settings: Settings, port: number): CdpAddress {
  return {
    scheme: settings.cdpAdvertisedScheme === "https" ? "https" : "http",
    host: settings.cdpAdvertisedHost ?? settings.cdpHost,
    port: port + settings.cdpAdvertisedPortOffset,
  };
}

/** @throws {AppError} `usage` for what is no certificate, no key, or a pair that does not belong together */
function checkPair(
  { cert, key }: { readonly cert: string; readonly key: string },
  certPath: string,
  keyPath: string,
): void {
  const certificate = parsed(
    "--cdp-tls-cert",
    certPath,
    "certificate in PEM",
    () => new X509Certificate(cert),
  );
  const privateKey = parsed(
    "--cdp-tls-key",
    keyPath,
    "private key in PEM without a passphrase",
    () => createPrivateKey(key),
  );
  if (certificate.checkPrivateKey(privateKey)) return;
  throw new AppError(
    "usage",
    `The key "${keyPath}" of --cdp-tls-key does not belong to "${certPath}" of --cdp-tls-cert`,
  );
}

function parsed<T>(flag: string, path: string, kind: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new AppError("usage", `Cannot use "${path}" for ${flag}: it holds no ${kind}`, { cause });
  }
}

async function readText(flag: string, path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (cause) {
    throw new AppError("usage", `Cannot use "${path}" for ${flag}: ${describeFileFault(cause)}`, { cause });
  }
}
