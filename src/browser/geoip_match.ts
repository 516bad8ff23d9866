/**
 * Gives CloakBrowser the time zone, language and address of the place where its proxy comes out, or a reason why no
 * browser may start: one that looks like another place than its address is worse than none.
 */

import { AppError, messageOf } from "../errors.ts";
import { settlesWithin } from "../platform/deadline.ts";
import { argumentKey } from "./browser_arguments.ts";
import type { BuiltLaunch } from "./browser_plan.ts";
import type { BrowserProxy } from "./browser_proxy.ts";
import { ENTRANCE_HOST, openProxyEntrance } from "./proxy_entrance.ts";
import type { BuildLaunch, LaunchRequest } from "./launch_builder.ts";

/** A proxy that does not take a connection in this time is none. */
const CONNECT_MS = 10_000;

/** The package looks for 20 seconds; before the first look it downloads a database of 70 MB. */
const LOOKUP_MS = 5 * 60_000;

const LEAVE_OUT = "start without --geoip-proxy-match";
const EXIT_ADDRESS = "--fingerprint-webrtc-ip";

export type MatchPlace = (
  request: LaunchRequest & { readonly proxy: BrowserProxy },
) => Promise<BuiltLaunch>;

/** @throws {AppError} `browser_unavailable`, saying why */
export function createPlaceMatch(build: BuildLaunch, lookupMs = LOOKUP_MS): MatchPlace {
  return async (request) => {
    const { proxy, args } = request;
    if (proxy.server.startsWith("socks4:")) {
      throw refusal(proxy, "nobody can look through a SOCKS 4 proxy", "Use another kind of proxy");
    }
    await mustAnswer(proxy);
    using entrance = /^https?:/.test(proxy.server) ? openProxyEntrance(proxy) : undefined;
    // Names of hosts are the proxy's to look up, as they are for Chromium.
    const lookThrough = entrance?.proxy ?? { ...proxy, server: proxy.server.replace(/^socks5:/, "socks5h:") };
    const lookup = build({ ...request, lookThrough });
    if (!await settlesWithin(lookup, lookupMs)) throw unknown(proxy, "timed out");
    let built: BuiltLaunch;
    try {
      built = await lookup;
    } catch (cause) {
      throw unknown(proxy, messageOf(cause), cause);
    }
    // Without it WebRTC would tell pages the address of this machine.
    const exit = [...built.args, ...args].find((argument) => argumentKey(argument) === EXIT_ADDRESS);
    // Where nobody tells the address, the package takes that of the proxy, which is the entrance's.
    if (exit === undefined || exit === `${EXIT_ADDRESS}=${ENTRANCE_HOST}`) throw unknown(proxy, "egress IP");
    return built;
  };
}

const REASONS: readonly (readonly [pattern: RegExp, reason: string, remedy: string])[] = [
  [
    /database is unavailable/,
    "there is no GeoIP database, and it could not be downloaded",
    'Put "GeoLite2-City.mmdb" into the directory "geoip" of the cache directory',
  ],
  [
    /could not determine/,
    "the GeoIP database knows no time zone or language for the place where it comes out",
    "Name them with --extra-args --fingerprint-timezone=…,--lang=…",
  ],
  [
    /egress IP|timed out/,
    "nobody outside tells the address where it comes out",
    "Let the proxy reach api.ipify.org, checkip.amazonaws.com or ifconfig.me",
  ],
];

function unknown(proxy: BrowserProxy, said: string, cause?: unknown): AppError {
  const [, reason = said, remedy = "Check the proxy"] = REASONS.find(([pattern]) => pattern.test(said)) ?? [];
  return refusal(proxy, reason, remedy, cause);
}

function refusal(proxy: BrowserProxy, reason: string, remedy: string, cause?: unknown): AppError {
  return new AppError(
    "browser_unavailable",
    `Cannot match the browser to the proxy "${proxy.server}": ${reason}. No browser was started`,
    { remedy: `${remedy}, or ${LEAVE_OUT}`, cause },
  );
}

async function mustAnswer(proxy: BrowserProxy): Promise<void> {
  const { hostname, port } = addressOf(proxy.server);
  const connecting = Deno.connect({ hostname, port });
  // One that comes late belongs to nobody.
  if (!await settlesWithin(connecting, CONNECT_MS)) {
    void connecting.then((connection) => connection.close(), () => {});
    throw refusal(proxy, "the proxy does not answer", "Check its address");
  }
  try {
    (await connecting).close();
  } catch (cause) {
    throw refusal(proxy, `the proxy does not answer (${messageOf(cause)})`, "Check its address", cause);
  }
}

const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
const SOCKS_PORT = 1080;

function addressOf(server: string): { hostname: string; port: number } {
  const { protocol, hostname, port } = new URL(server);
  return {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? PORTS[protocol] ?? SOCKS_PORT : Number(port),
  };
}
