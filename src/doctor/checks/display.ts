import { isAbsolute, join } from "node:path";
import { messageOf } from "../../errors.ts";
import { settlesWithin } from "../../platform/deadline.ts";
import { cookieFor, greet, type XCookie } from "../../platform/x_display.ts";
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
    return { findings: [await judgeDisplay(display, world.env)], details };
  },
};

const NO_DISPLAY = "Set DISPLAY, allow --virtual-display auto, or run without a window: --headless";

async function judgeDisplay(display: string, env: Readonly<Record<string, string>>): Promise<Finding> {
  const addresses = displayAddresses(display);
  if (addresses.length === 0) {
    return error(
      `DISPLAY is "${display}", which names no display`,
      'Set it to something like ":0", or unset it',
    );
  }
  const cookie = await readCookie(display, env);
  const problems: string[] = [];
  for (const address of addresses) {
    const problem = await displayProblem(address, cookie);
    if (problem === undefined) return ok(`The display "${display}" answers`);
    problems.push(problem);
  }
  return error(
    `The display "${display}" does not answer: ${problems[0]}`,
    "Start its X server, correct DISPLAY or XAUTHORITY, choose --virtual-display always, or run without a window: " +
      "--headless",
  );
}

/** Why a display does not take a client, as the end of a sentence. */
async function displayProblem(address: Address, cookie: XCookie | undefined): Promise<string | undefined> {
  let socket: Deno.Conn | undefined;
  let late = false;
  const asking = (async (): Promise<string | undefined> => {
    try {
      socket = await connectTo(address);
      if (late) socket.close();
      return await greet(socket, cookie);
    } catch (cause) {
      if (cause instanceof Deno.errors.NotFound) return "there is no such socket";
      if (cause instanceof Deno.errors.ConnectionRefused) return "nothing listens there";
      return messageOf(cause);
    }
  })();
  try {
    if (await settlesWithin(asking, CONNECT_MS)) return await asking;
    late = true;
    return `no answer within ${CONNECT_MS / 1000} s`;
  } finally {
    socket?.close();
  }
}

async function connectTo(address: Address): Promise<Deno.Conn> {
  if ("path" in address) return await Deno.connect({ transport: "unix", path: address.path });
  return await Deno.connect({ hostname: address.host.replace(/^\[|\]$/g, ""), port: address.port });
}

/** What X clients would take: `XAUTHORITY`, else a file in the home directory (Xau(3)). */
async function readCookie(
  display: string,
  env: Readonly<Record<string, string>>,
): Promise<XCookie | undefined> {
  const path = env["XAUTHORITY"] || (env["HOME"] && join(env["HOME"], ".Xauthority"));
  if (!path) return undefined;
  const authority = await Deno.readFile(path).catch(() => undefined);
  return authority && cookieFor(Number(/:(\d+)/.exec(display)?.[1]), authority);
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
