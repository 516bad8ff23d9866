/**
 * Makes sure that what the demo and the tests need is there, a browser and for the tests Xvfb: `deno task setup`. Does
 * nothing where it is.
 */

import { AppError, messageOf } from "../src/errors.ts";
import { findInstalledChrome, isExecutableFile } from "../src/browser/installed_chrome.ts";
import { say } from "./say.ts";

/** What the setup needs from the machine. */
export interface Machine {
  readonly env: Readonly<Record<string, string>>;
  isExecutable(path: string): Promise<boolean>;
  /** The CloakBrowser executable, if it was downloaded before. */
  findCloakBrowser(): Promise<string | undefined>;
  findChrome(): Promise<string | undefined>;
  /** Whether programs may be installed with apt-get without asking anybody. */
  canInstall(): Promise<boolean>;
  /** Runs a command with its output shown; false when it fails. */
  run(command: string, args: readonly string[]): Promise<boolean>;
}

const INSTALL = ["install", "--yes", "--no-install-recommends"];

/**
 * The browser for demo and tests, installed where that can be done.
 *
 * @returns Its absolute path.
 * @throws {AppError} `browser_unavailable`, with what to do, when there is none.
 */
export async function ensureBrowser(machine: Machine = thisMachine()): Promise<string> {
  const named = machine.env["CLOAKBROWSER_BINARY_PATH"];
  if (named) {
    if (await machine.isExecutable(named)) return named;
    throw new AppError(
      "browser_unavailable",
      `CLOAKBROWSER_BINARY_PATH names no executable file: "${named}"`,
    );
  }
  const found = await machine.findCloakBrowser() ?? await machine.findChrome();
  if (found !== undefined) return found;
  const chrome = await install(machine, "chromium") ? await machine.findChrome() : undefined;
  if (chrome !== undefined) return chrome;
  throw new AppError(
    "browser_unavailable",
    "No browser found: install Chrome or Chromium, or set CLOAKBROWSER_BINARY_PATH to one",
  );
}

/**
 * The virtual display for the tests, installed where that can be done.
 *
 * @throws {AppError} `browser_unavailable`, with what to do, when there is none
 */
export async function ensureXvfb(machine: Machine = thisMachine()): Promise<void> {
  if (await machine.isExecutable(XVFB) || await install(machine, "xvfb")) return;
  throw new AppError("browser_unavailable", `No ${XVFB} found: install the package xvfb`);
}

const XVFB = "/usr/bin/Xvfb";

async function install(machine: Machine, name: string): Promise<boolean> {
  if (!await machine.canInstall()) return false;
  // The lists of packages may be missing or old; what they say now is tried first, because it costs nothing.
  const attempt = (): Promise<boolean> => machine.run("apt-get", [...INSTALL, name]);
  return await attempt() || (await machine.run("apt-get", ["update"]) && await attempt());
}

function thisMachine(): Machine {
  const env = Deno.env.toObject();
  return {
    env,
    isExecutable: isExecutableFile,
    findCloakBrowser,
    findChrome: () => findInstalledChrome(env),
    canInstall: async () => Deno.uid() === 0 && await isExecutableFile("/usr/bin/apt-get"),
    run: async (command, args) => {
      say(`Running ${[command, ...args].join(" ")}`);
      const child = new Deno.Command(command, {
        args: [...args],
        env: { DEBIAN_FRONTEND: "noninteractive" },
        stdin: "null",
        stdout: "inherit",
        stderr: "inherit",
      });
      return (await child.spawn().status).success;
    },
  };
}

/** A platform without CloakBrowser makes the package throw. */
async function findCloakBrowser(): Promise<string | undefined> {
  const { binaryInfo } = await import("cloakbrowser");
  try {
    const { installed, binaryPath } = binaryInfo();
    return installed ? binaryPath : undefined;
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  try {
    say(`Browser for demo and tests: ${await ensureBrowser()}`);
    await ensureXvfb();
  } catch (error) {
    say(messageOf(error));
    Deno.exit(error instanceof AppError ? error.exitStatus : 1);
  }
}
