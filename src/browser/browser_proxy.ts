/**
 * The proxy of the browser, wherever the user has named it. Name and password leave the place where they were written:
 * what remains of flags, environment and browser arguments may be seen by other users and by pages' processes.
 */

import { AppError } from "../errors.ts";
import { parseProxyAddress } from "../settings/proxy_address.ts";
import { argumentKey } from "./browser_arguments.ts";
import { isJsonObject, upstreamOption, type UpstreamSources, valueAt } from "./upstream_option.ts";

/** In the shape of Playwright's launch option `proxy`. */
export interface BrowserProxy {
  readonly server: string;
  readonly bypass?: string;
  readonly username?: string;
  readonly password?: string;
}

export interface ProxyChoice {
  readonly proxy: BrowserProxy;
  /** `config`: upstream's configuration file, which sets the proxy of the browser and not that of its contexts. */
  readonly source: "option" | "config" | "argument";
}

const SERVER = { flag: "--proxy-server", env: "PLAYWRIGHT_MCP_PROXY_SERVER" };
const BYPASS = { flag: "--proxy-bypass", env: "PLAYWRIGHT_MCP_PROXY_BYPASS" };
const BYPASS_ARGUMENT = "--proxy-bypass-list";

/** Flags of upstream that say what {@link chooseProxy} has read. */
export const PROXY_FLAGS: readonly string[] = [SERVER.flag, BYPASS.flag];
/** Variables of upstream likewise. */
export const PROXY_VARIABLES: readonly string[] = [SERVER.env, BYPASS.env];

/**
 * The proxy in effect: an option of upstream over its configuration file over a browser argument. A bypass list belongs
 * to the proxy beside which it stands, so a stronger proxy without one has none.
 *
 * @throws {AppError} `usage` for an address that cannot be used
 */
export function chooseProxy(
  sources: UpstreamSources,
  extraArgs: readonly string[],
): ProxyChoice | undefined {
  const option = upstreamOption(sources, SERVER);
  const listed = upstreamOption(sources, BYPASS)?.value;
  const bypass = typeof listed === "string" ? listed : undefined;
  // Upstream takes an empty text for none.
  if (option !== undefined && option.value !== "") {
    return { proxy: proxyOf(option.value, option.origin, bypass), source: "option" };
  }
  const configured = valueAt(sources.config, "browser.launchOptions.proxy");
  if (isJsonObject(configured)) return { proxy: configuredProxy(configured), source: "config" };
  const theirs = valueAt(sources.config, "browser.launchOptions.args");
  const args = [...Array.isArray(theirs) ? theirs.map(String) : [], ...extraArgs];
  const argument = proxyArgument(args);
  if (argument === undefined) return undefined;
  const beside = valueOf(args, BYPASS_ARGUMENT)?.replaceAll(";", ",");
  return { proxy: proxyOf(argument, SERVER.flag, bypass ?? beside), source: "argument" };
}

/** Chromium always leaves the names of hosts to a SOCKS 5 proxy, and knows no other word for it. */
export function chromiumScheme(server: string): string {
  return server.replace(/^socks5h:/, "socks5:");
}

/** Whether Chromium's own way of proxy authentication is of no use: Playwright refuses these. */
export function isAuthenticatedSocks({ server, username }: BrowserProxy): boolean {
  return username !== undefined && server.startsWith("socks");
}

/** The arguments without those that {@link chooseProxy} has read or that a stronger proxy puts out of effect. */
export function withoutProxyArguments(args: readonly string[]): string[] {
  return args.filter((argument) => ![SERVER.flag, BYPASS_ARGUMENT].includes(argumentKey(argument)));
}

/**
 * The address in a `--proxy-server` argument. Chromium's lists of proxies for several schemes are no address and stay
 * arguments; Chromium takes no name and password in them.
 */
export function proxyArgument(args: readonly string[]): string | undefined {
  const value = valueOf(args, SERVER.flag);
  if (value === undefined || value === "") return undefined;
  const isList = /^(?:[a-z]+=|direct:)/.test(value) || (!value.includes("@") && /[;,]/.test(value));
  return isList ? undefined : value;
}

function valueOf(args: readonly string[], key: string): string | undefined {
  return args.findLast((argument) => argument.startsWith(`${key}=`))?.slice(key.length + 1);
}

function configuredProxy(configured: Readonly<Record<string, unknown>>): BrowserProxy {
  const { server, bypass, username, password } = configured;
  const proxy = proxyOf(
    server,
    '"browser.launchOptions.proxy.server" of the configuration file',
    typeof bypass === "string" ? bypass : undefined,
  );
  return {
    ...proxy,
    ...(typeof username === "string" ? { username } : {}),
    ...(typeof password === "string" ? { password } : {}),
  };
}

function proxyOf(address: unknown, origin: string, bypass: string | undefined): BrowserProxy {
  const verdict = parseProxyAddress(typeof address === "string" ? address : "");
  // The address is not repeated: it may hold a password.
  if (!verdict.ok) throw new AppError("usage", `Cannot use the value of ${origin}: it ${verdict.problem}`);
  return { ...verdict.value, ...(bypass === undefined || bypass.trim() === "" ? {} : { bypass }) };
}
