/**
 * Asks the server that the settings describe for `/readyz`, from the same machine.
 */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
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
const MAX_ANSWER_CHARS = 16_384;

/** An address to listen on that means all of them, and one of them that can be connected to. */
const CONNECTABLE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Speaks HTTP/1.0, in which an answer is never in chunks and ends with the connection: `node:https` of the registry
 * lane's Deno refuses certificates in spite of `rejectUnauthorized`, and `node:tls` does not.
 *
 * @throws {Error} when nothing answers within three seconds
 */
export function askReadiness(settings: ReadinessSettings): Promise<Readiness> {
  const { promise, resolve, reject } = Promise.withResolvers<Readiness>();
  const socket = connectTo(settings, () => socket.write(requestText(settings)));
  const timer = setTimeout(() => reject(new Error("no answer")), ANSWER_WITHIN_MS);
  let answer = "";
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => {
    answer += text;
    if (answer.length > MAX_ANSWER_CHARS) reject(new Error("the answer is too long"));
  });
  socket.on("error", reject);
  socket.on("close", () => {
    const status = /^HTTP\/1\.[01] (\d{3})\b/.exec(answer)?.[1];
    if (status === undefined) return reject(new Error("what listens there does not speak HTTP"));
    resolve({ status: Number(status), body: answer.slice(answer.indexOf("\r\n\r\n") + 4) });
  });
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}

function connectTo(settings: ReadinessSettings, onConnect: () => void): Socket {
  const { httpSocket, httpHost, httpPort, httpProtocol } = settings;
  if (httpSocket !== undefined) return connect({ path: httpSocket }, onConnect);
  const address = { host: CONNECTABLE[httpHost] ?? httpHost, port: httpPort };
  if (httpProtocol === "http") return connect(address, onConnect);
  // The certificate names the host that clients use, and here the address is a local one.
  return connectTls({ ...address, rejectUnauthorized: false }, onConnect);
}

function requestText({ httpBasePath, httpAuthTokens: [token] }: ReadinessSettings): string {
  return [
    `GET ${joinPath(httpBasePath, "/readyz")} HTTP/1.0`,
    "Host: localhost",
    "Connection: close",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    "\r\n",
  ].join("\r\n");
}
