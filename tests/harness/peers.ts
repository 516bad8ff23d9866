/**
 * Programs that the product is compared with. They are installed from the npm registry, each into a folder of its
 * own below `.cache/peers`, once.
 */
import { fileURLToPath } from "node:url";
import { UPSTREAM_PACKAGE, UPSTREAM_VERSION } from "../../src/version.ts";

const PEERS = fileURLToPath(new URL("../../.cache/peers/", import.meta.url));

/**
 * Command line of Node's `@playwright/mcp`, in the version that the product embeds, program first.
 *
 * @throws Error when it cannot be installed
 */
export async function playwrightMcpCommand(): Promise<string[]> {
  return ["node", `${await playwrightMcpFolder()}/@playwright/mcp/cli.js`];
}

/** The `node_modules` that hold it and its dependencies. */
export async function playwrightMcpFolder(): Promise<string> {
  return await install(UPSTREAM_PACKAGE, UPSTREAM_VERSION);
}

/** A program that makes an HTTP server of a stdio server, and how it is told to keep sessions. */
export interface HttpPeer {
  readonly name: string;
  /** Command line, program first, that serves `upstream` on 127.0.0.1. */
  readonly command: (port: number, upstream: readonly string[]) => string[];
}

/** What the HTTP side of the product is compared with: the two bridges from stdio to HTTP that are used most. */
export async function httpPeers(): Promise<{ supergateway: HttpPeer; mcpProxy: HttpPeer }> {
  const supergateway = `${await install("supergateway", "4.0.0")}/supergateway/dist/index.js`;
  const mcpProxy = `${await install("mcp-proxy", "6.7.19")}/mcp-proxy/dist/bin/mcp-proxy.mjs`;
  return {
    supergateway: {
      name: "supergateway",
      command: (port, upstream) => [
        "node",
        supergateway,
        ...["--stdio", upstream.map(shellQuoted).join(" ")],
        ...["--outputTransport", "streamableHttp", "--stateful"],
        ...["--port", String(port)],
        // A line for every message would count against it.
        ...["--logLevel", "none"],
      ],
    },
    mcpProxy: {
      name: "mcp-proxy",
      command: (port, upstream) => [
        "node",
        mcpProxy,
        ...["--host", "127.0.0.1", "--port", String(port), "--server", "stream"],
        "--",
        ...upstream,
      ],
    },
  };
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Installs into a temporary folder first: what has its final name is whole, whoever else installs meanwhile. */
async function install(name: string, version: string): Promise<string> {
  const folder = `${PEERS}${name.replaceAll("/", "-").replace("@", "")}-${version}`;
  if (await isThere(folder)) return `${folder}/node_modules`;
  await Deno.mkdir(PEERS, { recursive: true });
  const making = await Deno.makeTempDir({ dir: PEERS, prefix: ".making-" });
  try {
    await npm([
      "install",
      "--prefix",
      making,
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      `${name}@${version}`,
    ]);
    await Deno.rename(making, folder).catch(async (error) => {
      if (!await isThere(folder)) throw error;
    });
  } finally {
    await Deno.remove(making, { recursive: true }).catch(() => {}); // renamed
  }
  return `${folder}/node_modules`;
}

async function npm(args: readonly string[]): Promise<void> {
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command("npm", { args: [...args] }).output();
  } catch (cause) {
    throw new Error("Cannot install the peer: there is no npm. Install Node.js, which brings it", { cause });
  }
  if (!output.success) {
    throw new Error(`Cannot install the peer: npm said\n${new TextDecoder().decode(output.stderr)}`);
  }
}

async function isThere(folder: string): Promise<boolean> {
  return await Deno.stat(folder).then(() => true, () => false);
}
