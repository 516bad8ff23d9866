/** The browsers of a run, found among its processes. */
import type { ProcessStat } from "../harness/proc_stat.ts";
import { isRunning, readAllStats, readStat } from "../harness/proc_stat.ts";
import type { ProcessTree } from "../harness/process_tree.ts";

export interface BrowserProcess {
  readonly pid: number;
  readonly args: readonly string[];
}

/** Main processes of running browsers; their helpers name a `--type`. */
export function browsersOf(tree: ProcessTree): BrowserProcess[] {
  return tree.record().filter((stat) => isRunning(readStat(stat.pid))).map(withArguments).filter(({ args }) =>
    args.some((arg) => arg.startsWith("--remote-debugging-")) &&
    !args.some((arg) => arg.startsWith("--type="))
  );
}

/**
 * Running processes that name `folder` in their arguments or environment. Whatever a run starts inherits the folder
 * as TMPDIR, HOME or profile, so this finds processes that have left both family and session.
 */
export function processesNaming(folder: string): string[] {
  return readAllStats().filter((stat) => isRunning(stat) && stat.pid !== Deno.pid).flatMap(
    ({ pid, name }) => {
      const [cmdline, environment] = [readProcFile(pid, "cmdline"), readProcFile(pid, "environ")];
      return cmdline.includes(folder) || environment.includes(folder)
        ? [`${pid} ${cmdline.replaceAll("\0", " ").slice(0, 200) || name}`]
        : [];
    },
  );
}

function withArguments({ pid }: ProcessStat): BrowserProcess {
  // Chromium writes its command line anew for `ps`, with blanks instead of NULs.
  return { pid, args: readProcFile(pid, "cmdline").split(/[\0 ]/).filter((arg) => arg !== "") };
}

function readProcFile(pid: number, file: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${file}`);
  } catch {
    return "";
  }
}
