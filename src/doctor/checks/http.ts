import { messageOf } from "../../errors.ts";
import { describeFileFault } from "../../settings/file_fault.ts";
import { askReadiness } from "../../http/readiness_query.ts";
import { TlsFiles } from "../../http/tls.ts";
import type { Settings } from "../../settings/settings.ts";
import { type Check, type CheckResult, error, ok, skipped, warning } from "../check.ts";
import { tryConnecting } from "../reach.ts";
import type { Finding } from "../report.ts";

const CONNECT_MS = 2000;

/** Whether the server could listen where the settings say, with the certificate that they name. */
export const HTTP_CHECK: Check = {
  name: "http",
  boundMs: 10_000,
  async run({ resolved: { settings } }, signal): Promise<CheckResult> {
    if (settings.transport === "stdio") {
      return { findings: [skipped("Not applicable: the server speaks on standard input and output")] };
    }
    const findings: Finding[] = [];
    if (settings.httpProtocol === "https") {
      findings.push(await judgeCertificate(settings));
    }
    const { httpSocket, httpHost, httpPort } = settings;
    findings.push(
      httpSocket === undefined ? await judgePort(settings) : await judgeSocket(httpSocket, settings, signal),
    );
    return { findings, details: { socket: httpSocket ?? null, host: httpHost, port: httpPort } };
  },
};

async function judgeCertificate(settings: Settings): Promise<Finding> {
  try {
    await TlsFiles.load(settings);
    return ok("The certificate and its key can be used");
  } catch (cause) {
    return error(
      messageOf(cause),
      "Correct the file or its permissions, or name others with --https-cert and --https-key",
    );
  }
}

async function judgePort(settings: Settings): Promise<Finding> {
  const { httpHost, httpPort } = settings;
  const address = `"${httpHost}:${httpPort}"`;
  try {
    Deno.listen({ hostname: httpHost, port: httpPort }).close();
    return ok(httpPort === 0 ? `Any free port of ${httpHost} will do` : `${address} is free`);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.AddrInUse)) {
      const reason = describeFileFault(cause);
      return error(`Cannot listen on ${address}: ${reason}`, "Choose another --http-host or --http-port");
    }
    return await judgeNeighbour(address, settings, "--http-port");
  }
}

/** The file of a socket that no server listens on is replaced at the start. */
async function judgeSocket(path: string, settings: Settings, signal: AbortSignal): Promise<Finding> {
  let info: Deno.FileInfo;
  try {
    info = await Deno.lstat(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return ok(`The socket "${path}" is free`);
    return error(`Cannot listen on "${path}": ${describeFileFault(cause)}`, "Choose another --http-socket");
  }
  if (!info.isSocket) {
    const remedy = "Choose another --http-socket";
    return error(`Cannot listen on "${path}" as a socket: another kind of file is there`, remedy);
  }
  if (await tryConnecting({ path }, CONNECT_MS, signal) !== undefined) {
    return ok(`The socket "${path}" was left behind by a server that has ended; a start replaces it`);
  }
  return await judgeNeighbour(`"${path}"`, settings, "--http-socket");
}

/** A server of this kind that answers is probably the one whose settings these are. */
async function judgeNeighbour(address: string, settings: Settings, flag: string): Promise<Finding> {
  const version = await askVersion(settings);
  if (version === undefined) {
    return error(
      `Cannot listen on ${address}: another program listens there`,
      `Stop what listens there, or choose another ${flag}`,
    );
  }
  return warning(
    `A server of this kind (${version}) listens on ${address}; a second one could not start`,
    `If that is not the one you mean, choose another ${flag}`,
  );
}

async function askVersion(settings: Settings): Promise<string | undefined> {
  try {
    const { status, body } = await askReadiness(settings);
    // It keeps its secrets from who has no token, and nobody else refuses in these words.
    if (status === 401) return JSON.parse(body).status === "unauthorized" ? "it asks for a token" : undefined;
    const { transport, version } = JSON.parse(body);
    return transport === "streamable-http" ? String(version) : undefined;
  } catch {
    return undefined;
  }
}
