import { upstreamOption } from "../../browser/upstream_option.ts";
import { proxyArgument } from "../../browser/browser_proxy.ts";
import { type Check, type CheckResult, error, ok, skipped, warning } from "../check.ts";
import { tryConnecting } from "../reach.ts";
import type { Finding } from "../report.ts";
import { type DoctorWorld, upstreamSources } from "../world.ts";

const CONNECT_MS = 5000;

/** Ports that a proxy's address means where it names none. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 };
const SOCKS_PORT = 1080;

const VARIABLES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

interface Proxy {
  /** As the user wrote it; may hold a name and a password. */
  readonly written: string;
  /** What sets it. */
  readonly origin: string;
  /** Whether every page goes through it. */
  readonly ofBrowser: boolean;
}

/** Whether the proxies of the browser and of downloads take connections. Names and passwords are never shown. */
export const PROXY_CHECK: Check = {
  name: "proxy",
  boundMs: 8000,
  async run(world, signal): Promise<CheckResult> {
    const proxies = findProxies(world);
    if (proxies.length === 0) return { findings: [skipped("Not applicable: no proxy is set")] };
    const judged = await Promise.all(proxies.map((proxy) => judgeProxy(proxy, signal)));
    return {
      findings: judged.map(({ finding }) => finding),
      details: { proxies: judged.map(({ address }, at) => ({ origin: proxies[at]?.origin ?? "", address })) },
    };
  },
};

function findProxies(world: DoctorWorld): Proxy[] {
  const own = upstreamOption(upstreamSources(world), {
    flag: "--proxy-server",
    env: "PLAYWRIGHT_MCP_PROXY_SERVER",
    config: "browser.launchOptions.proxy.server",
  });
  const proxies: Proxy[] = [];
  if (typeof own?.value === "string") {
    proxies.push({ written: own.value, origin: own.origin, ofBrowser: true });
  }
  const argument = own === undefined ? proxyArgument(world.resolved.settings.extraArgs) : undefined;
  if (argument !== undefined) {
    proxies.push({ written: argument, origin: "--proxy-server among --extra-args", ofBrowser: true });
  }
  for (const name of VARIABLES) {
    const written = world.env[name]?.trim() ?? "";
    const known = proxies.some((proxy) => proxy.written === written);
    if (written !== "" && !known) proxies.push({ written, origin: name, ofBrowser: false });
  }
  return proxies;
}

async function judgeProxy(
  { written, origin, ofBrowser }: Proxy,
  signal: AbortSignal,
): Promise<{ finding: Finding; address: string | null }> {
  const problem = ofBrowser ? error : warning;
  const url = parseProxy(written);
  if (url === undefined) {
    const remedy = "Write it as http://host:port, https://host:port or socks5://host:port";
    return { finding: problem(`The value of ${origin} is no address of a proxy`, remedy), address: null };
  }
  const port = Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? SOCKS_PORT);
  const address = `${url.protocol}//${url.hostname}:${port}`;
  const reason = await tryConnecting({ host: url.hostname, port }, CONNECT_MS, signal);
  if (reason === undefined) {
    return { finding: ok(`The proxy ${address} of ${origin} takes connections`), address };
  }
  const effect = ofBrowser
    ? "no page will load"
    : "downloads, and pages of a browser that uses it, will fail";
  const remedy = `Start that proxy, or correct ${origin}`;
  return {
    finding: problem(`The proxy ${address} of ${origin} cannot be reached: ${reason}; ${effect}`, remedy),
    address,
  };
}

interface ProxyAddress {
  readonly protocol: string;
  readonly hostname: string;
  /** Empty where none is named. */
  readonly port: string;
}

/** Chromium also takes a host and port alone, for an HTTP proxy. */
function parseProxy(written: string): ProxyAddress | undefined {
  const text = written.includes("://") ? written : `http://${written}`;
  const protocol = text.slice(0, text.indexOf("://") + 1).toLowerCase();
  // The parser splits addresses of other schemes differently.
  const webLike = `http://${text.slice(protocol.length + 2)}`;
  if (!/^(https?|socks[45]?[ah]?):$/.test(protocol) || !URL.canParse(webLike)) return undefined;
  const { hostname } = new URL(webLike);
  // The parser drops the port that is usual for its scheme.
  const port = /:(\d+)\/?$/.exec(webLike)?.[1] ?? "";
  return hostname === "" ? undefined : { protocol, hostname, port };
}
