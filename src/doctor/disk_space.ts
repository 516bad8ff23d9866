import { type DoctorWorld, shellText } from "./world.ts";

export interface Space {
  readonly totalBytes: number;
  /** For this user. */
  readonly freeBytes: number;
}

/** Size of the file system that holds `path`, as `df` of POSIX tells it; undefined where it cannot. */
export async function readSpace(
  path: string,
  world: DoctorWorld,
  signal: AbortSignal,
): Promise<Space | undefined> {
  const table = await shellText(world, signal, 'LC_ALL=C df -Pk -- "$1"', path) ?? "";
  const [, total, , free] = /\s(\d+)\s+(\d+)\s+(\d+)\s+\d+%\s/.exec(table) ?? [];
  if (total === undefined || free === undefined) return undefined;
  return { totalBytes: Number(total) * 1024, freeBytes: Number(free) * 1024 };
}
