import { listLibraries } from "../browser_libraries.ts";
import { type Check, type CheckResult, error, ok, skipped, warning } from "../check.ts";
import { LIBRARY_PACKAGES, packageRemedy } from "../missing_libraries.ts";
import type { DoctorWorld } from "../world.ts";
import { shellText } from "../world.ts";

/** What no Chromium does without, whatever it was built with: asked for before there is a browser to look at. */
const ALWAYS_NEEDED: readonly string[] = [
  ...["libnss3.so", "libnspr4.so", "libdbus-1.so.3", "libexpat.so.1", "libxkbcommon.so.0", "libgbm.so.1"],
  ...["libX11.so.6", "libxcb.so.1", "libXcomposite.so.1", "libXdamage.so.1", "libXfixes.so.3"],
  ...["libXrandr.so.2", "libasound.so.2", "libglib-2.0.so.0", "libpango-1.0.so.0", "libcairo.so.2"],
];

/** Shared libraries of the browser that are not on this system, by name. */
export const LIBRARIES_CHECK: Check = {
  name: "libraries",
  boundMs: 20_000,
  async run(world, signal): Promise<CheckResult> {
    if (world.os !== "linux") return { findings: [skipped("Not applicable: only on Linux")] };
    const subject = await world.subject().catch(() => undefined);
    if (subject === undefined) return { findings: [skipped("There is no browser to look at")] };
    if (subject.notOurs !== undefined) return { findings: [skipped(`Not applicable: ${subject.notOurs}`)] };
    const { executablePath } = subject;
    if (executablePath === undefined || !await isThere(executablePath)) {
      return await judgeSystem(world, signal);
    }
    return await judgeProgram(executablePath, world, signal);
  },
};

async function judgeProgram(
  executablePath: string,
  world: DoctorWorld,
  signal: AbortSignal,
): Promise<CheckResult> {
  const libraries = await listLibraries(executablePath, world.env, signal, world.run);
  if (libraries.kind === "unknown") return { findings: [skipped(libraries.reason)] };
  const { program, missing, missingVersions: versions } = libraries;
  const details = { program, missing, missingVersions: versions };
  const findings = [];
  if (missing.length > 0) {
    findings.push(
      error(
        `"${program}" needs what this system does not have: ${missing.join(", ")}`,
        await packageRemedy(missing, world, signal),
      ),
    );
  }
  if (versions.length > 0) {
    findings.push(
      error(
        `"${program}" was built for a newer system: it needs ${versions.join(", ")}`,
        "Upgrade the system (a newer image of a container), or use an older browser",
      ),
    );
  }
  if (findings.length === 0) {
    findings.push(
      libraries.complete ? ok("All are there") : skipped(`"ldd" cannot list the libraries of "${program}"`),
    );
  }
  return { findings, details };
}

/** Without a browser, by what the system's loader knows. */
async function judgeSystem(world: DoctorWorld, signal: AbortSignal): Promise<CheckResult> {
  const known = await shellText(world, signal, "ldconfig -p") ?? "";
  if (!known.includes("libc.so")) {
    return { findings: [skipped("There is no browser to look at, and no list of the system's libraries")] };
  }
  const missing = ALWAYS_NEEDED.filter((name) => !known.includes(`${name} (`)).sort();
  const details = { program: null, missing };
  if (missing.length === 0) {
    return { findings: [ok("There is no browser to look at yet; what each needs is there")], details };
  }
  const finding = warning(
    `There is no browser to look at yet; it will probably need ${missing.join(", ")}`,
    await packageRemedy(missing.filter((name) => name in LIBRARY_PACKAGES), world, signal),
  );
  return { findings: [finding], details };
}

async function isThere(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}
