/**
 * Finds a Chrome, Chromium or Edge that somebody has installed on this machine.
 */

import { posix, win32 } from "node:path";

type Environment = Readonly<Record<string, string>>;
type Os = typeof Deno.build.os;

/** Preferred first; Edge is Chromium too, but not what someone who asks for Chrome expects. */
const UNIX_NAMES = [
  "google-chrome",
  "google-chrome-stable",
  "chromium",
  "chromium-browser",
  "microsoft-edge",
];

/** Directories that a program started by a desktop or by a service may not have in its PATH. */
const UNIX_DIRECTORIES = [
  "/usr/bin",
  "/usr/local/bin",
  "/opt/google/chrome",
  "/opt/microsoft/msedge",
  "/snap/bin",
];

const MAC_APPLICATIONS = ["Google Chrome", "Chromium", "Microsoft Edge"];

const WINDOWS_PROGRAMS = [
  ["Google", "Chrome", "Application", "chrome.exe"],
  ["Chromium", "Application", "chrome.exe"],
  ["Microsoft", "Edge", "Application", "msedge.exe"],
];
const WINDOWS_ROOTS = ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"];

/**
 * The executable of the preferred browser that is there, or undefined. Only looks at files, starts nothing.
 *
 * @param exists whether a path is an executable file
 */
export async function findInstalledChrome(
  env: Environment,
  exists: (path: string) => Promise<boolean> = isExecutableFile,
  os: Os = Deno.build.os,
): Promise<string | undefined> {
  for (const path of candidates(env, os)) if (await exists(path)) return path;
  return undefined;
}

function candidates(env: Environment, os: Os): string[] {
  if (os === "windows") {
    const roots = WINDOWS_ROOTS.flatMap((name) => lookUp(env, name) ?? []);
    return WINDOWS_PROGRAMS.flatMap((program) => roots.map((root) => win32.join(root, ...program)));
  }
  const onPath = (env["PATH"] ?? "").split(":").filter((directory) => posix.isAbsolute(directory));
  const directories = [...new Set([...onPath, ...UNIX_DIRECTORIES])];
  const byName = UNIX_NAMES.flatMap((name) => directories.map((directory) => posix.join(directory, name)));
  return os === "darwin" ? [...macApplications(env), ...byName] : byName;
}

function macApplications(env: Environment): string[] {
  const home = env["HOME"];
  const roots = ["/Applications", ...(home === undefined ? [] : [posix.join(home, "Applications")])];
  return MAC_APPLICATIONS.flatMap((name) =>
    roots.map((root) => posix.join(root, `${name}.app`, "Contents", "MacOS", name))
  );
}

/** Names of variables have no case on Windows. */
function lookUp(env: Environment, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

/** Windows has no permission to execute; there a file is enough. */
export async function isExecutableFile(path: string): Promise<boolean> {
  try {
    const info = await Deno.stat(path);
    return info.isFile && (info.mode === null || (info.mode & 0o111) !== 0);
  } catch {
    return false;
  }
}
