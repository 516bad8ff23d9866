import { dirname, join } from "node:path";
import { type Check, type CheckResult, error, ok, skipped, warning } from "../check.ts";
import { type DoctorWorld, shellText } from "../world.ts";

/** Whether Chromium's sandbox can work here, against whether it is asked for. */
export const SANDBOX_CHECK: Check = {
  name: "sandbox",
  boundMs: 8000,
  async run(world, signal): Promise<CheckResult> {
    const { sandbox, extraArgs } = world.resolved.settings;
    if (world.os !== "linux") {
      return { findings: [skipped("Not applicable: Chromium's sandbox needs nothing of this system")] };
    }
    const notOurs = (await world.subject().catch(() => undefined))?.notOurs;
    if (notOurs !== undefined) return { findings: [skipped(`Not applicable: ${notOurs}`)] };
    const off = sandbox === false || extraArgs.includes("--no-sandbox");
    const obstacle = await findObstacle(world, signal);
    const details = {
      setting: off ? false : sandbox ?? null,
      possible: obstacle === undefined,
      obstacle: obstacle?.reason ?? null,
    };
    if (off) {
      const possible = obstacle === undefined
        ? "it would work here, with --sandbox"
        : `it could not work here: ${obstacle.reason}`;
      return { findings: [ok(`Chromium's sandbox is off; ${possible}`)], details };
    }
    if (obstacle === undefined) return { findings: [ok("Chromium's sandbox works here")], details };
    if (sandbox === undefined) {
      const finding = warning(
        `Chromium's sandbox cannot work here, should Playwright MCP use it: ${obstacle.reason}`,
        `${obstacle.remedy}, or leave the sandbox out with --no-sandbox`,
      );
      return { findings: [finding], details };
    }
    const finding = error(
      `Chromium's sandbox is asked for and cannot work: ${obstacle.reason}`,
      `${obstacle.remedy}, or leave the sandbox out with --no-sandbox`,
    );
    return { findings: [finding], details };
  },
};

interface Obstacle {
  /** A clause. */
  readonly reason: string;
  readonly remedy: string;
}

/** Where `unshare` is not installed, the settings of the kernel have to answer. */
const LOOK = `
cat /proc/sys/user/max_user_namespaces 2>/dev/null | sed 's/^/max=/'
cat /proc/sys/kernel/unprivileged_userns_clone 2>/dev/null | sed 's/^/clone=/'
cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2>/dev/null | sed 's/^/apparmor=/'
if command -v unshare >/dev/null; then unshare --user true 2>/dev/null && echo unshare=1 || echo unshare=0; fi
`;

async function findObstacle(world: DoctorWorld, signal: AbortSignal): Promise<Obstacle | undefined> {
  if (world.uid === 0) {
    return { reason: "it does not start as root", remedy: "Run the server as another user" };
  }
  if (await hasHelper(world)) return undefined;
  const facts = await shellText(world, signal, LOOK) ?? "";
  if (/^max=0$/m.test(facts)) {
    return {
      reason: "the kernel allows no user namespaces",
      remedy: "Set the sysctl user.max_user_namespaces above 0",
    };
  }
  if (/^clone=0$/m.test(facts)) {
    return {
      reason: "the kernel allows user namespaces to root only",
      remedy: "Set the sysctl kernel.unprivileged_userns_clone to 1",
    };
  }
  if (/^apparmor=1$/m.test(facts)) {
    return {
      reason: "AppArmor restricts user namespaces to programs with a profile",
      remedy:
        "Give the browser an AppArmor profile, or set kernel.apparmor_restrict_unprivileged_userns to 0",
    };
  }
  if (/^unshare=0$/m.test(facts)) {
    return {
      reason: "user namespaces are refused, as containers do by default",
      remedy: "Run the container with a seccomp profile that allows them",
    };
  }
  return undefined;
}

/** Chromium's helper with the bit that makes it root needs no user namespaces. */
async function hasHelper(world: DoctorWorld): Promise<boolean> {
  const path = (await world.subject().catch(() => undefined))?.executablePath;
  if (path === undefined) return false;
  for (const name of ["chrome-sandbox", "chrome_sandbox"]) {
    try {
      const info = await Deno.stat(join(dirname(await Deno.realPath(path)), name));
      if (info.uid === 0 && ((info.mode ?? 0) & 0o4001) === 0o4001) return true;
    } catch {
      // Not there.
    }
  }
  return false;
}
