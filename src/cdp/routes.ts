/**
 * What a path leads to. Paths are compared as they came: another spelling of one, with percent signs or dots, leads
 * nowhere.
 */

import type { AnswerKind } from "./answer.ts";
import { refuse, type Verdict } from "./refusals.ts";

export interface DiscoveryRoute {
  readonly method: "GET" | "PUT";
  /** What Chromium is asked for. */
  readonly path: string;
  readonly answer: AnswerKind;
  /** Addresses in the answer are Chromium's own and have to become ours. */
  readonly addresses: boolean;
  /** The CDP method that changes the same, for rules about methods. */
  readonly cdpMethod: string | undefined;
}

/** A path that Chromium upgrades, or the browser's, whatever it is now. */
export type SocketRoute = { readonly path: string } | { readonly path: undefined };

const PREFIX = "/cdp/";
const TARGET_ID = /^[A-Za-z0-9_-]+$/;

/**
 * Parts the path of a request behind its capability.
 *
 * @returns `given` is undefined where the path has no place for a capability
 */
export function splitPath(path: string): { readonly given: string | undefined; readonly rest: string } {
  if (!path.startsWith(PREFIX)) return { given: undefined, rest: path };
  const end = path.indexOf("/", PREFIX.length);
  return end < 0
    ? { given: path.slice(PREFIX.length), rest: "" }
    : { given: path.slice(PREFIX.length, end), rest: path.slice(end) };
}

/** @param rest of the path, behind the capability */
export function discoveryRoute(
  rest: string,
  query: string | undefined,
): Verdict<{ readonly route: DiscoveryRoute }> {
  // Playwright asks for `/json/version/`; one slash at the end is no other place anywhere.
  const path = rest.endsWith("/") ? rest.slice(0, -1) : rest;
  const [, command = "", id] = /^\/json(?:\/([a-z]+)(?:\/(.*))?)?$/s.exec(path) ?? [];
  if (id !== undefined) {
    const act = ACTS.get(command);
    if (act === undefined) return refuse("not_found");
    if (query !== undefined || !TARGET_ID.test(id)) return refuse("bad_request");
    return { ok: true, route: { method: "GET", path, answer: "text", addresses: false, cdpMethod: act } };
  }
  const route = path === "/json" ? LIST : READS.get(command) ?? (command === "new" ? NEW : undefined);
  if (route === undefined) return refuse("not_found");
  if (query === undefined) return { ok: true, route };
  if (route !== NEW || !isDecodable(query)) return refuse("bad_request");
  return { ok: true, route: { ...route, path: `${route.path}?${query}` } };
}

/**
 * Chromium serves the browser under `/devtools/browser/` and every other target, of whatever type, under
 * `/devtools/page/`. The capability alone stands for the browser, so that no discovery is needed.
 */
export function socketRoute(
  rest: string,
  query: string | undefined,
): Verdict<{ readonly route: SocketRoute }> {
  if (query !== undefined) return refuse("not_found");
  if (rest === "" || rest === "/") return { ok: true, route: { path: undefined } };
  const [, kind, id = ""] = /^\/devtools\/(browser|page)\/(.+)$/s.exec(rest) ?? [];
  if (kind === undefined) return refuse("not_found");
  return TARGET_ID.test(id) ? { ok: true, route: { path: rest } } : refuse("bad_request");
}

const READ = { method: "GET", answer: "json", cdpMethod: undefined } as const;
const LIST: DiscoveryRoute = { ...READ, path: "/json/list", addresses: true };
const READS: ReadonlyMap<string, DiscoveryRoute> = new Map([
  ["list", LIST],
  ["version", { ...READ, path: "/json/version", addresses: true }],
  ["protocol", { ...READ, path: "/json/protocol", addresses: false }],
]);
const NEW: DiscoveryRoute = {
  method: "PUT",
  path: "/json/new",
  answer: "json",
  addresses: true,
  cdpMethod: "Target.createTarget",
};
/** What is done to one target, and the CDP method that does it too. */
const ACTS: ReadonlyMap<string, string> = new Map([
  ["activate", "Target.activateTarget"],
  ["close", "Target.closeTarget"],
]);

function isDecodable(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}
