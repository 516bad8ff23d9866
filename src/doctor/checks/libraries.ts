import { basename, dirname, join } from "node:path";
import { browserEnvironment } from "../browser_environment.ts";
import { type Check, type CheckResult, error, ok, skipped, warning } from "../check.ts";
import { readFileKind } from "../elf.ts";
import { LIBRARY_PACKAGES, missingLibraries, missingVersions, packageRemedy } from "../missing_libraries.ts";
import type { DoctorWorld } from "../world.ts";
import { shellText, withToolPath } from "../world.ts";

const LDD_MS = 10_000;

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
    const program = await findProgram(executablePath);
    if (program === undefined) {
      const finding = skipped(`"${executablePath}" is no program of Linux whose libraries could be listed`);
      return { findings: [finding] };
    }
    return await judgeProgram(program, world, signal);
  },
};

async function judgeProgram(program: string, world: DoctorWorld, signal: AbortSignal): Promise<CheckResult> {
  const outcome = await world.run({
    program: "ldd",
    args: [program],
    env: withToolPath(browserEnvironment(world.env)),
    timeoutMs: LDD_MS,
    signal,
  });
  if (outcome.kind === "not_started") {
    return { findings: [skipped('There is no "ldd" on this system to list the libraries with')] };
  }
  if (outcome.kind === "timed_out") {
    return { findings: [skipped(`"ldd" did not list the libraries of "${program}" in time`)] };
  }
  const output = `${outcome.stdout}\n${outcome.stderr}`;
  const missing = missingLibraries(output);
  const versions = missingVersions(output);
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
    const all = outcome.code === 0;
    findings.push(all ? ok("All are there") : skipped(`"ldd" cannot list the libraries of "${program}"`));
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

/**
 * The program itself: what distributions put into `/usr/bin` is a script that starts another file, by custom in one of
 * these places.
 */
async function findProgram(executablePath: string): Promise<string | undefined> {
  let path: string;
  try {
    path = await Deno.realPath(executablePath);
  } catch {
    return undefined;
  }
  const name = basename(path);
  const places = [
    path,
    join(dirname(path), "chrome"),
    `/usr/lib/${name}/${name}`,
    `/usr/lib64/${name}/${name}`,
  ];
  for (const place of places) if ((await readFileKind(place)).kind === "elf") return place;
  return undefined;
}

async function isThere(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}
