/**
 * Which transport serves. Playwright MCP serves over HTTP when it is given a port, so its `--port` and
 * `PLAYWRIGHT_MCP_PORT` choose the transport here too, and so does a unix socket, each with the strength of its source.
 */

import { nameOrigin, type Origin } from "./origin.ts";
import type { FlagOccurrence } from "./upstream_options.ts";

const PORT_FLAG = "--port";
const PORT_VARIABLE = "PLAYWRIGHT_MCP_PORT";

const STRENGTH: Readonly<Record<Origin["kind"], number>> = {
  default: 0,
  file: 1,
  env: 2,
  flag: 3,
  session: 4,
};

export interface TransportChoice {
  readonly transport: unknown;
  readonly origin: Origin;
  readonly problems: readonly string[];
}

/**
 * @param transport what the option itself says, from `origin`
 * @param socket where the path of a unix socket comes from
 */
export function chooseTransport(
  transport: unknown,
  origin: Origin,
  flags: readonly FlagOccurrence[],
  env: Readonly<Record<string, string>>,
  socket: Origin,
): TransportChoice {
  const request = askedByPort(flags, env) ?? (socket.kind === "default" ? undefined : socket);
  const weaker = request === undefined || STRENGTH[request.kind] < STRENGTH[origin.kind];
  if (weaker || transport !== "stdio") return { transport, origin, problems: [] };
  if (request.kind !== origin.kind) return { transport: "streamable-http", origin: request, problems: [] };
  const problem = `Cannot use ${nameOrigin(request)} with ${nameOrigin(origin)} stdio: it is for ` +
    "--transport streamable-http. Leave one of them out";
  return { transport, origin, problems: [problem] };
}

function askedByPort(
  flags: readonly FlagOccurrence[],
  env: Readonly<Record<string, string>>,
): Origin | undefined {
  if (flags.some(({ flag }) => flag === PORT_FLAG)) return { kind: "flag", name: PORT_FLAG };
  return (env[PORT_VARIABLE] ?? "") === "" ? undefined : { kind: "env", name: PORT_VARIABLE };
}
