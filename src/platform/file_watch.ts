/**
 * Tells when files may have changed, however they are replaced: written, renamed over, or reached by a symbolic link
 * that now leads elsewhere.
 */
import { dirname } from "node:path";

/** Lets a renewer finish with certificate and key, and a busy directory not ask for more than two looks a second. */
const SETTLE_MS = 500;

/** Not every file system tells of changes: network file systems and some mounts of containers do not. */
const POLL_MS = 60_000;

/** Calls `task` again and again until it is disposed. */
export type Every = (intervalMs: number, task: () => void) => Disposable;

export interface FileWatchOptions {
  readonly paths: readonly string[];
  /** Something happened next to the files. */
  readonly onEvent: () => void;
  /** Nothing is known to have happened, but it is time to look. */
  readonly onPoll: () => void;
  readonly every?: Every;
}

/**
 * Watches the directories, not the files: a watched file that is replaced is watched no longer.
 *
 * @returns ends the watch
 */
export function watchFiles({ paths, onEvent, onPoll, every = everyInterval }: FileWatchOptions): Disposable {
  let settling: ReturnType<typeof setTimeout> | undefined;
  const noticed = (): void => {
    settling ??= setTimeout(() => {
      settling = undefined;
      onEvent();
    }, SETTLE_MS);
  };
  const watchers = directoriesOf(paths).flatMap((directory) => watchDirectory(directory, noticed));
  const poll = every(POLL_MS, onPoll);
  return {
    [Symbol.dispose](): void {
      for (const watcher of watchers) watcher.close();
      clearTimeout(settling);
      poll[Symbol.dispose]();
    },
  };
}

/** Where the names lie and where they lead. */
function directoriesOf(paths: readonly string[]): string[] {
  const directories = new Set<string>();
  for (const path of paths) {
    directories.add(dirname(path));
    try {
      directories.add(dirname(Deno.realPathSync(path)));
    } catch {
      // just being replaced: its name is watched
    }
  }
  return [...directories];
}

function watchDirectory(path: string, noticed: () => void): Deno.FsWatcher[] {
  try {
    const watcher = Deno.watchFs(path, { recursive: false });
    void (async () => {
      for await (const event of watcher) {
        // Reading the files is such an event too.
        if (event.kind !== "access") noticed();
      }
    })().catch(() => {});
    return [watcher];
  } catch {
    // No more watches to be had, or not here: the poll remains.
    return [];
  }
}

function everyInterval(intervalMs: number, task: () => void): Disposable {
  const timer = setInterval(task, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
