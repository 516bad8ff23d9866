/**
 * The options of a browser context that users may set, as Playwright names them, and what is wrong with one before a
 * browser has to find out.
 */

import { didYouMean } from "./suggest.ts";

type Members = Readonly<Record<string, unknown>>;

/** What is wrong with a value, as what it has to be; undefined when nothing is. */
type Check = (value: unknown) => string | undefined;

/**
 * The first thing that is wrong, as the end of a sentence: `must have a boolean as "offline"`.
 *
 * @param options of one source, not yet laid over those of others
 */
export function contextOptionsProblem(options: Members): string | undefined {
  return membersProblem(options, CHECKS, "") ?? viewportProblem(options);
}

const text: Check = (value) => (typeof value === "string" && value.trim() !== "" ? undefined : "a string");
const anyText: Check = (value) => (typeof value === "string" ? undefined : "a string");
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");

const CHECKS: Readonly<Record<string, Check | Readonly<Record<string, Check>>>> = {
  userAgent: text,
  viewport: { width: pixels, height: pixels },
  locale,
  timezoneId: timeZone,
  colorScheme: oneOf("dark", "light", "no-preference"),
  permissions: texts,
  geolocation: {
    longitude: between(-180, 180),
    latitude: between(-90, 90),
    accuracy: optional(between(0, Infinity)),
  },
  extraHTTPHeaders: headers,
  httpCredentials: {
    username: anyText,
    password: anyText,
    origin: optional(text),
    send: optional(oneOf("always", "unauthorized")),
  },
  ignoreHTTPSErrors: flag,
  offline: flag,
  deviceScaleFactor: (value) => (isNumber(value) && value > 0 ? undefined : "a number above 0"),
  isMobile: flag,
  hasTouch: flag,
};

/** A size that follows the window. */
const FOLLOWS_WINDOW = "viewport";

function membersProblem(members: Members, checks: typeof CHECKS, path: string): string | undefined {
  for (const name of Object.keys(members)) {
    if (Object.hasOwn(checks, name)) continue;
    return `must not have "${path}${name}", which is not supported${didYouMean(name, Object.keys(checks))}`;
  }
  for (const [name, check] of Object.entries(checks)) {
    if (path === "" && !Object.hasOwn(members, name)) continue;
    const problem = memberProblem(members[name], check, path + name);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function memberProblem(
  value: unknown,
  check: Check | Readonly<Record<string, Check>>,
  path: string,
): string | undefined {
  if (typeof check === "function") {
    const wanted = check(value);
    return wanted === undefined ? undefined : `must have ${wanted} as "${path}"`;
  }
  if (value === null && path === FOLLOWS_WINDOW) return undefined;
  return isRecord(value) ? membersProblem(value, check, `${path}.`) : `must have an object as "${path}"`;
}

/** Playwright refuses these at the first call; a browser without a size of its own cannot scale it. */
function viewportProblem(options: Members): string | undefined {
  if (options[FOLLOWS_WINDOW] !== null) return undefined;
  const name = ["deviceScaleFactor", "isMobile"].find((each) => options[each] !== undefined);
  return name && `must not have "${name}" while "viewport" is null`;
}

function pixels(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? undefined : "a whole number above 0";
}

function locale(value: unknown): string | undefined {
  const wanted = 'a language such as "de-DE"';
  if (typeof value !== "string" || value === "") return wanted;
  return answers(() => Intl.getCanonicalLocales(value)) ? undefined : wanted;
}

function timeZone(value: unknown): string | undefined {
  const wanted = 'a time zone such as "Europe/Berlin"';
  if (typeof value !== "string" || value === "") return wanted;
  return answers(() => new Intl.DateTimeFormat("en", { timeZone: value })) ? undefined : wanted;
}

function answers(ask: () => unknown): boolean {
  try {
    ask();
    return true;
  } catch {
    return false;
  }
}

function texts(value: unknown): string | undefined {
  return Array.isArray(value) && value.every((item) => text(item) === undefined)
    ? undefined
    : "an array of strings";
}

function headers(value: unknown): string | undefined {
  const wanted = "an object of strings";
  if (!isRecord(value)) return wanted;
  return answers(() => new Headers(Object.entries(value).map(([name, each]) => [name, requireText(each)])))
    ? undefined
    : wanted;
}

function requireText(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("no text");
  return value;
}

function oneOf(...words: readonly string[]): Check {
  const quoted = words.map((word) => `"${word}"`);
  return (value) => words.some((word) => word === value) ? undefined : `one of ${quoted.join(", ")}`;
}

function between(least: number, most: number): Check {
  const wanted = most === Infinity ? `a number from ${least} on` : `a number from ${least} to ${most}`;
  return (value) => isNumber(value) && value >= least && value <= most ? undefined : wanted;
}

function optional(check: Check): Check {
  return (value) => value === undefined ? undefined : check(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isRecord(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
