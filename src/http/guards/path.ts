/**
 * Which part of the server a request is for.
 */

import { PROBE_PATHS } from "../../settings/options/http.ts";
import { refuse, type Verdict } from "../refusal.ts";

export type Route = "mcp" | "healthz" | "readyz" | "metrics";

export type PathGuard = (request: Request) => Verdict<{ readonly route: Route }>;

export interface PathGuardOptions {
  readonly httpBasePath: string;
  readonly httpEndpoint: string;
}

export function createPathGuard(options: PathGuardOptions): PathGuard {
  const routes = new Map<string, Route>([
    ...PROBE_PATHS.map((path) => [joinPath(options.httpBasePath, path), path.slice(1) as Route] as const),
    [joinPath(options.httpBasePath, options.httpEndpoint), "mcp"],
  ]);
  return (request) => {
    const route = routes.get(pathOf(request.url) ?? "");
    return route === undefined ? refuse(404, "path", "Not found") : { ok: true, route };
  };
}

/** `/base` and `/mcp` become `/base/mcp`; `/` adds nothing on either side. */
export function joinPath(basePath: string, path: string): string {
  const base = basePath.replace(/\/$/, "");
  return path === "/" && base !== "" ? base : base + path;
}

/** The runtime puts `Host` into the address as it came, so the address need not be a URL. */
export function pathOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).pathname : undefined;
}
