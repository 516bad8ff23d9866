import { type Check, type CheckResult, ok, skipped, warning } from "../check.ts";
import { readSpace } from "../disk_space.ts";

const MIB = 1024 * 1024;

/** Container engines give 64 MiB, which a few large pages fill. */
const ENOUGH_BYTES = 128 * MIB;

/** Size of the memory that the processes of a browser share. */
export const SHARED_MEMORY_CHECK: Check = {
  name: "shared-memory",
  boundMs: 6000,
  async run(world, signal): Promise<CheckResult> {
    if (world.os !== "linux") return { findings: [skipped("Not applicable: only on Linux")] };
    const space = await readSpace("/dev/shm", world, signal);
    if (space === undefined) {
      return { findings: [skipped("/dev/shm is not there, or its size cannot be read")] };
    }
    const sizeMiB = Math.floor(space.totalBytes / MIB);
    const details = { sizeMiB, freeMiB: Math.floor(space.freeBytes / MIB) };
    const finding = space.totalBytes >= ENOUGH_BYTES ? ok(`/dev/shm has ${sizeMiB} MiB`) : warning(
      `/dev/shm has ${sizeMiB} MiB only; Playwright lets Chromium use the temporary directory instead, which is ` +
        "slower, and a browser that is launched otherwise crashes on large pages",
      "Give the container more: --shm-size=1g, or shm_size in a compose file",
    );
    return { findings: [finding], details };
  },
};
