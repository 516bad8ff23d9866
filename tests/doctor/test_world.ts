/** A machine for checks: the real one, save for what a test replaces. */
import type { ResolvedSettings } from "../../src/settings/settings.ts";
import type { FlagOccurrence } from "../../src/settings/upstream_options.ts";
import type { Check, CheckResult } from "../../src/doctor/check.ts";
import type { ProgramOutcome, ProgramRequest } from "../../src/doctor/run_program.ts";
import { runProgram } from "../../src/doctor/run_program.ts";
import type { Subject } from "../../src/doctor/subject.ts";
import type { DoctorWorld } from "../../src/doctor/world.ts";
import { judgeSettings } from "../../src/settings/resolve_settings.ts";

export interface WorldOptions extends Partial<Omit<DoctorWorld, "resolved" | "subject">> {
  /** `--flag` or `--flag=value`. */
  readonly flags?: readonly string[];
  readonly settings?: Partial<ResolvedSettings["settings"]>;
  readonly subject?: Partial<Subject> | Error;
}

export async function doctorWorld(options: WorldOptions = {}): Promise<DoctorWorld> {
  const { flags = [], settings = {}, subject = {}, ...members } = options;
  const { env = { PATH: Deno.env.get("PATH") ?? "" }, cwd = "/" } = members;
  const { resolved, problems } = await judgeSettings({
    flags: flags.map(toOccurrence),
    env,
    cwd,
    readTextFile: refuseReading,
  });
  return {
    resolved: { ...resolved, settings: { ...resolved.settings, ...settings } },
    problems,
    env,
    cwd,
    config: {},
    versions: {
      version: "1.2.3",
      deno: "2.0.0",
      upstream: "0.0.1",
      playwrightCore: "1.0.0",
      cloakbrowser: "0.5.0",
      target: "x86_64-unknown-linux-gnu",
      compiled: true,
    },
    os: "linux",
    arch: Deno.build.arch,
    uid: Deno.uid(),
    run: runProgram,
    subject: () =>
      subject instanceof Error ? Promise.reject(subject) : Promise.resolve({ ...SUBJECT, ...subject }),
    ...members,
  };
}

const SUBJECT: Subject = {
  engine: "cloak",
  source: "binary_path",
  executablePath: "/nowhere/chrome",
  note: undefined,
  attaches: false,
  cloakbrowser: null,
};

/** No test needs a settings file. */
function refuseReading(path: string): string {
  throw new Deno.errors.NotFound(path);
}

function toOccurrence(text: string): FlagOccurrence {
  const at = text.indexOf("=");
  return at === -1 ? { flag: text } : { flag: text.slice(0, at), value: text.slice(at + 1) };
}

/** Programs by the start of their command line, and what comes of them; all others cannot be started. */
export function programs(
  outcomes: Readonly<
    Record<string, string | Partial<Extract<ProgramOutcome, { kind: "ended" }>> | ProgramOutcome>
  >,
): (request: ProgramRequest) => Promise<ProgramOutcome> {
  return ({ program, args }) => {
    const line = [program, ...args].join(" ");
    const found = Object.entries(outcomes).find(([start]) => line.startsWith(start))?.[1];
    if (found === undefined) {
      return Promise.resolve({ kind: "not_started", cause: new Deno.errors.NotFound() });
    }
    if (typeof found === "object" && "kind" in found && found.kind !== "ended") {
      return Promise.resolve(found as ProgramOutcome);
    }
    const ended = typeof found === "string" ? { stdout: found } : found;
    return Promise.resolve({ kind: "ended", code: 0, stdout: "", stderr: "", ...ended } as ProgramOutcome);
  };
}

export async function runCheck(check: Check, world: DoctorWorld): Promise<CheckResult> {
  return await check.run(world, new AbortController().signal);
}

/** `status: message` of each finding. */
export function told({ findings }: CheckResult): string[] {
  return findings.map(({ status, message }) => `${status}: ${message}`);
}

/** A directory that goes away. */
export class Place implements Disposable {
  readonly path = Deno.makeTempDirSync();

  write(name: string, content: string | Uint8Array, mode = 0o644): string {
    const path = `${this.path}/${name}`;
    Deno.writeFileSync(path, typeof content === "string" ? new TextEncoder().encode(content) : content, {
      mode,
    });
    Deno.chmodSync(path, mode);
    return path;
  }

  /** Names of what lies in it. */
  entries(): string[] {
    return Array.from(Deno.readDirSync(this.path), ({ name }) => name).sort();
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

/** An ELF header, and nothing behind it. */
export function elfHeader(machine: number): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  new DataView(bytes.buffer).setUint16(18, machine, true);
  return bytes;
}
