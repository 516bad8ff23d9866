import { isAbsolute, join } from "node:path";
import { type Check, type CheckResult, error, ok, skipped } from "../check.ts";
import { type Address, tryConnecting } from "../reach.ts";
import type { Finding } from "../report.ts";
import { type DoctorWorld, findProgram } from "../world.ts";

const CONNECT_MS = 3000;

/** X11 over TCP: display number n is this port and n. */
const FIRST_X_PORT = 6000;

/** Whether a browser with a window has somewhere to show it. */
export const DISPLAY_CHECK: Check = {
  name: "display",
  boundMs: 10_000,
  async run(world, signal): Promise<CheckResult> {
    if (world.resolved.settings.headless) {
      return { findings: [skipped("Not applicable: the browser has no window")] };
    }
    if (world.os !== "linux") return { findings: [skipped("Not applicable: the system has a display")] };
    const { virtualDisplay } = world.resolved.settings;
    const { DISPLAY: display = "", WAYLAND_DISPLAY: wayland = "" } = world.env;
    const details = { virtualDisplay, display: display || null, wayland: wayland || null };
    const usual = display !== "" || wayland !== "";
    if (virtualDisplay === "always" || (virtualDisplay === "auto" && !usual)) {
      return { findings: [await judgeXvfb(world, signal)], details };
    }
    if (!usual) {
      return { findings: [error("There is no display for a browser with a window", NO_DISPLAY)], details };
    }
    if (wayland !== "") {
      const problem = await tryConnecting(waylandAddress(wayland, world.env), CONNECT_MS, signal);
      if (problem === undefined) {
        return { findings: [ok(`The Wayland display "${wayland}" answers`)], details };
      }
      if (display === "") {
        const finding = error(`The Wayland display "${wayland}" does not answer: ${problem}`, NO_DISPLAY);
        return { findings: [finding], details };
      }
    }
    return { findings: [await judgeDisplay(display, signal)], details };
  },
};

const NO_DISPLAY = "Set DISPLAY, allow --virtual-display auto, or run without a window: --headless";

async function judgeDisplay(display: string, signal: AbortSignal): Promise<Finding> {
  const addresses = displayAddresses(display);
  if (addresses.length === 0) {
    return error(
      `DISPLAY is "${display}", which names no display`,
      'Set it to something like ":0", or unset it',
    );
  }
  let problem: string | undefined;
  for (const address of addresses) {
    problem = await tryConnecting(address, CONNECT_MS, signal);
    if (problem === undefined) return ok(`The display "${display}" answers`);
  }
  return error(
    `The display "${display}" does not answer: ${problem}`,
    "Start its X server, correct DISPLAY, or run without a window: --headless",
  );
}

/** Where Chromium would look for a display: `:0`, `:0.0`, `unix:0`, `host:10.0`; Linux also has sockets without files. */
export function displayAddresses(display: string): Address[] {
  const [, host = "", number] = /^(.*):(\d+)(?:\.\d+)?$/.exec(display) ?? [];
  if (number === undefined) return [];
  if (host !== "" && host !== "unix") return [{ host, port: FIRST_X_PORT + Number(number) }];
  const path = `/tmp/.X11-unix/X${number}`;
  return [{ path }, { path: `\0${path}` }];
}

function waylandAddress(name: string, env: Readonly<Record<string, string>>): Address {
  return { path: isAbsolute(name) ? name : join(env["XDG_RUNTIME_DIR"] ?? "/run/user/0", name) };
}

async function judgeXvfb(world: DoctorWorld, signal: AbortSignal): Promise<Finding> {
  const xvfb = await findProgram(world, signal, "Xvfb");
  if (xvfb !== undefined) return ok(`The browser gets a virtual display: "${xvfb}"`);
  return error(
    "The browser is to get a virtual display, and Xvfb is not installed",
    "Install it (on Debian: apt-get install -y xvfb), set DISPLAY, or run without a window: --headless",
  );
}
