/**
 * Repairs of Deno's Node layer that upstream needs. Each is a file of its own with a condition, so that it
 * can be deleted when no supported Deno meets it any more.
 */

/** What decides whether a repair is needed. */
export interface Runtime {
  /** As in `Deno.version.deno`. */
  readonly version: string;
  /** Whether this is a program made by `deno compile`. */
  readonly standalone: boolean;
}

/** Environment variables that a program of ours needs beside those that upstream hands it. */
export type OwnEnvironment = Readonly<Record<string, string>>;

interface Repair {
  readonly name: string;
  needed(runtime: Runtime): boolean;
  apply(environment: OwnEnvironment): Promise<void>;
}

/** The registry lane of the build embeds Deno 2.7.11; 2.7.14 and later are known not to have these two faults. */
const FIRST_VERSION_WITHOUT_NODE_NET_FAULTS = "2.7.14";

const REPAIRS: readonly Repair[] = [
  {
    name: "unix_socket",
    needed: ({ version }) => isOlder(version, FIRST_VERSION_WITHOUT_NODE_NET_FAULTS),
    apply: async () => (await import("./unix_socket.ts")).repairUnixSockets(),
  },
  {
    name: "http_lookup",
    needed: ({ version }) => isOlder(version, FIRST_VERSION_WITHOUT_NODE_NET_FAULTS),
    apply: async () => (await import("./http_lookup.ts")).repairHttpLookup(),
  },
  {
    // Goes when Deno's existsSync no longer throws for /proc without all permissions; 2.7.11 did not, 2.9.6 does.
    name: "special_files",
    needed: ({ version }) => !isOlder(version, "2.7.12"),
    apply: async () => (await import("./special_files.ts")).repairExistsSync(),
  },
  {
    // Goes when a compiled program given a script as its first argument runs that script, as Node would.
    name: "package_scripts",
    needed: ({ standalone }) => standalone,
    apply: async (environment) => (await import("./package_scripts.ts")).repairPackageScripts(environment),
  },
];

/** Names of the repairs that a runtime needs. */
export function neededRepairs(runtime: Runtime): string[] {
  return REPAIRS.filter((repair) => repair.needed(runtime)).map(({ name }) => name);
}

/** Applies what this runtime needs. To be called before upstream's bundles are loaded. */
export async function applyCompat(runtime: Runtime, environment: OwnEnvironment): Promise<void> {
  const needed = REPAIRS.filter((repair) => repair.needed(runtime));
  await Promise.all(needed.map((repair) => repair.apply(environment)));
}

/** Whether version `a` comes before `b`; both `major.minor.patch`, anything after a dash or plus ignored. */
function isOlder(a: string, b: string): boolean {
  const left = numbersOf(a);
  const right = numbersOf(b);
  for (const [index, number] of left.entries()) {
    const other = right[index] ?? 0;
    if (number !== other) return number < other;
  }
  return false;
}

function numbersOf(version: string): number[] {
  return version.replace(/[-+].*$/, "").split(".").map(Number);
}
