/**
 * Asks the server that the settings describe for `/readyz`, from the same machine.
 */
import { request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Settings } from "../settings/settings.ts";
import { joinPath } from "./guards/path.ts";

export type ReadinessSettings = Pick<
  Settings,
  "httpHost" | "httpPort" | "httpSocket" | "httpBasePath" | "httpProtocol" | "httpAuthTokens"
>;

export interface Readiness {
  readonly status: number;
  /** As it came. */
  readonly body: string;
}

/** Who asks wants to know soon; Docker kills a check that outlasts its own timeout without a word about the cause. */
const ANSWER_WITHIN_MS = 3_000;

/** Far more than the answer has, in case something else listens there. */
const MAX_BODY_CHARS = 16_384;

/** An address to listen on that means all of them, and one of them that can be connected to. */
const CONNECTABLE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * @throws {Error} when nothing answers within three seconds
 */
export function askReadiness(settings: ReadinessSettings): Promise<Readiness> {
  const { httpSocket, httpHost, httpPort, httpAuthTokens } = settings;
  const tls = settings.httpProtocol === "https" && httpSocket === undefined;
  const [token] = httpAuthTokens;
  const options: RequestOptions & { readonly rejectUnauthorized: boolean } = {
    ...(httpSocket === undefined
      ? { host: CONNECTABLE[httpHost] ?? httpHost, port: httpPort }
      : { socketPath: httpSocket }),
    path: joinPath(settings.httpBasePath, "/readyz"),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    agent: false,
    // The certificate names the host that clients use, and here the address is a local one.
    rejectUnauthorized: false,
  };
  const { promise, resolve, reject } = Promise.withResolvers<Readiness>();
  const request = (tls ? httpsRequest : httpRequest)(options, (response) => {
    let body = "";
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      body += text;
      if (body.length > MAX_BODY_CHARS) request.destroy(new Error("the answer is too long"));
    });
    response.on("error", reject);
    response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
  });
  const timer = setTimeout(() => request.destroy(new Error("no answer")), ANSWER_WITHIN_MS);
  request.on("error", reject);
  request.end();
  return promise.finally(() => clearTimeout(timer));
}
