/**
 * What the options of the HTTP server say about each other. They are judged only where that server runs; elsewhere they
 * have no effect, and who set them is told so.
 */

import { isLoopbackHost } from "../protocol/authority.ts";
import { isUnspecified } from "../protocol/ip_range.ts";
import { keysOfGroup, noteNoEffect } from "./no_effect.ts";
import type { SettingKey } from "./option_table.ts";
import { ANY_HOST } from "./options/http.ts";
import { nameOrigin, type Origin } from "./origin.ts";
import { sessionOptionKeys } from "./session_options.ts";
import type { Settings } from "./settings.ts";
import { didYouMean } from "./suggest.ts";

type Origins = Readonly<Record<SettingKey, Origin>>;

export interface Judgement {
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

const CERTIFICATE_KEYS = ["httpsCert", "httpsKey", "httpsPfx", "httpsPassphrase"] as const;
const TCP_KEYS = ["httpHost", "httpPort", ...CERTIFICATE_KEYS] as const;

/** The address of a unix socket has 108 bytes on Linux, the closing NUL among them; 104 on macOS and the BSDs. */
const LONGEST_SOCKET_PATH = 103;

export function judgeHttp(settings: Omit<Settings, "upstreamArgs">, origins: Origins): Judgement {
  if (settings.transport === "stdio") {
    const why = " over stdio: add --transport streamable-http to serve over HTTP";
    return { problems: [], notices: noteNoEffect(keysOfGroup("http"), origins, why) };
  }
  const problems = [
    ...socketProblems(settings, origins),
    ...certificateProblems(settings, origins),
    ...sessionOptionProblems(settings, origins),
  ];
  const notices: string[] = [];
  const reachable = settings.httpSocket === undefined && !isLoopbackHost(settings.httpHost);
  const open = settings.httpAuthTokens.length === 0;
  if (reachable && open && !settings.allowInsecureBind) {
    problems.push(
      `Cannot listen on "${settings.httpHost}" for ${
        nameOrigin(origins.httpHost)
      }: other machines may reach it and no ` +
        "token is set. Set a token with --http-auth-token-file or --http-auth-token, or add --allow-insecure-bind",
    );
  }
  if (reachable && open && settings.allowInsecureBind) {
    notices.push(`Whoever reaches "${settings.httpHost}" has the browser: no token is set`);
  }
  if (reachable && settings.httpAuthTokens.some((token) => token.length < SHORTEST_GOOD_TOKEN)) {
    notices.push(
      `${
        nameOrigin(origins.httpAuthTokens)
      } has a token of less than ${SHORTEST_GOOD_TOKEN} characters, which can be guessed`,
    );
  }
  if (isUnspecified(settings.httpHost) && settings.allowedHosts.length === 0) {
    notices.push(
      `The server listens on "${settings.httpHost}" but answers to loopback names only: name the host that clients ` +
        "use with --allowed-host",
    );
  }
  if (settings.allowedHosts.includes(ANY_HOST) && open) {
    notices.push(
      `${
        nameOrigin(origins.allowedHosts)
      } answers to any host name and no token is set: a web page that the ` +
        "name of its own server leads here can use the browser",
    );
  }
  return { problems, notices };
}

/** As many as 96 random bits have in base64. */
const SHORTEST_GOOD_TOKEN = 16;

function socketProblems(settings: Omit<Settings, "upstreamArgs">, origins: Origins): string[] {
  const { httpSocket } = settings;
  if (httpSocket === undefined) return [];
  const others: SettingKey[] = TCP_KEYS.filter((key) => origins[key].kind !== "default");
  if (settings.httpProtocol === "https") others.push("httpProtocol");
  const problems = others.map((key) =>
    `Cannot use ${nameOrigin(origins.httpSocket)} together with ${
      nameOrigin(origins[key])
    }: a unix socket has ` +
    "neither address nor TLS. Leave one of them out"
  );
  if (new TextEncoder().encode(httpSocket).length > LONGEST_SOCKET_PATH) {
    problems.push(
      `Cannot use "${httpSocket}" for ${
        nameOrigin(origins.httpSocket)
      }: the path of a unix socket has at most ` +
        `${LONGEST_SOCKET_PATH} bytes`,
    );
  }
  return problems;
}

function certificateProblems(settings: Omit<Settings, "upstreamArgs">, origins: Origins): string[] {
  if (settings.httpSocket !== undefined) return [];
  const given = CERTIFICATE_KEYS.filter((key) => origins[key].kind !== "default");
  const names = given.map((key) => nameOrigin(origins[key])).join(", ");
  if (settings.httpProtocol === "http") {
    return given.length === 0
      ? []
      : [`Cannot use ${names}: HTTPS certificate options require --http-protocol https`];
  }
  const { httpsCert, httpsKey, httpsPfx } = settings;
  const pair = [httpsCert, httpsKey].filter((path) => path !== undefined).length;
  if (httpsPfx !== undefined && pair > 0) {
    return [
      `Cannot use ${names} together: HTTPS must use either --https-cert and --https-key, or --https-pfx`,
    ];
  }
  if (httpsPfx === undefined && pair < 2) {
    return [
      `Cannot use ${
        nameOrigin(origins.httpProtocol)
      } https: it requires either --https-cert and --https-key, or ` +
      "--https-pfx",
    ];
  }
  return [];
}

function sessionOptionProblems(settings: Omit<Settings, "upstreamArgs">, origins: Origins): string[] {
  const known = sessionOptionKeys();
  return (settings.sessionOptionsAllow ?? [])
    .filter((key) => !known.includes(key))
    .map((key) =>
      `Cannot use "${key}" for ${
        nameOrigin(origins.sessionOptionsAllow)
      }: it is no option that a session may ` +
      `set${didYouMean(key, known)}`
    );
}
