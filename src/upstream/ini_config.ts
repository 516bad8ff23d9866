/**
 * Upstream's configuration file in its INI form: `browser.launchOptions.headless = true`.
 */

import type { JsonObject } from "../browser/upstream_option.ts";

type IniType = "string" | "number" | "boolean" | "list" | "size";

/**
 * Types of upstream's options, where the text alone would say something else: `1` is a number, but the user agent
 * `1` is text. Taken from the version of upstream that is pinned; a test compares the outcome with upstream's own.
 */
const TYPES: Readonly<Record<IniType, readonly string[]>> = {
  boolean: [
    "browser.isolated",
    "browser.launchOptions.{headless,chromiumSandbox,handleSIGHUP,handleSIGINT,handleSIGTERM}",
    "browser.contextOptions.{acceptDownloads,bypassCSP,hasTouch,ignoreHTTPSErrors,isMobile}",
    "browser.contextOptions.{javaScriptEnabled,offline,strictSelectors}",
    "{extension,saveSession,sharedBrowserContext,allowUnrestrictedFileAccess}",
    "snapshot.boxes",
  ],
  number: [
    "browser.cdpTimeout",
    "browser.launchOptions.{slowMo,timeout}",
    "browser.contextOptions.deviceScaleFactor",
    "outputMaxSize",
    "server.port",
    "timeouts.{action,idle,navigation,settle}",
  ],
  list: [
    "browser.{initPage,initScript}",
    "browser.launchOptions.args",
    "browser.contextOptions.permissions",
    "capabilities",
    "server.allowedHosts",
    "network.{allowedOrigins,blockedOrigins}",
  ],
  size: ["browser.contextOptions.{screen,viewport}", "saveVideo"],
  string: [
    "browser.{browserName,userDataDir,cdpEndpoint,remoteEndpoint}",
    "browser.launchOptions.{channel,executablePath,downloadsPath,tracesDir}",
    "browser.launchOptions.proxy.{server,bypass,username,password}",
    "browser.contextOptions.{baseURL,colorScheme,contrast,forcedColors,locale,reducedMotion}",
    "browser.contextOptions.{serviceWorkers,storageState,timezoneId,userAgent}",
    "{outputDir,imageResponses,filePaths,codegen,testIdAttribute}",
    "server.host",
    "console.level",
    "snapshot.mode",
  ],
};

/** Reads INI text into the shape of the JSON form. Never fails: in INI every text means something. */
export async function parseIniConfig(text: string): Promise<JsonObject> {
  const { parse } = await import("ini");
  const types = typesByName();
  const config: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parse(text))) {
    setAt(config, name.split("."), convert(value, types.get(name)));
  }
  return config;
}

function typesByName(): Map<string, IniType> {
  const rows = Object.entries(TYPES) as [IniType, readonly string[]][];
  return new Map(rows.flatMap(([type, names]) => names.flatMap(expand).map((name) => [name, type] as const)));
}

/** `a.{b,c}` → `a.b`, `a.c`. */
function expand(name: string): string[] {
  const [head = "", alternatives] = name.replace("}", "").split("{");
  return alternatives === undefined ? [head] : alternatives.split(",").map((tail) => head + tail);
}

function convert(value: unknown, type: IniType | undefined): unknown {
  switch (type) {
    case "string":
      return String(value);
    case "number":
      return Number(value);
    case "boolean":
      return value === true || value === "true" || value === "1";
    case "list":
      return (Array.isArray(value) ? value : [value]).map(String);
    case "size":
      return parseSize(value);
    case undefined:
      return typeof value === "string" ? numberWherePossible(value) : value;
  }
}

function numberWherePossible(value: string): string | number {
  const text = value.trim();
  if (text === "") return "";
  return Number.isNaN(Number(text)) ? value : Number(text);
}

function parseSize(value: unknown): { width: number; height: number } | undefined {
  const [width = NaN, height = NaN] = typeof value === "string" ? value.split("x").map(Number) : [];
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  if (path.includes("__proto__")) return;
  const parents = path.slice(0, -1);
  let current = target;
  for (const name of parents) {
    const next = Object.hasOwn(current, name) ? current[name] : undefined;
    const child = typeof next === "object" && next !== null ? next as Record<string, unknown> : {};
    current[name] = child;
    current = child;
  }
  const last = path.at(-1);
  if (last !== undefined) current[last] = value;
}
