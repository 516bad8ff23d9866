/**
 * The `cloakbrowser` package writes an archive to a stream whose faults nobody handles: they surface as uncaught errors,
 * and the download would then wait for ever for the end of a file that is closed already. This catches them while a
 * download runs, so that it ends with a reason.
 */

/** What Node.js calls the faults of a disk that takes no more. */
const DISK_CODES: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS"];

export interface DiskWatch extends Disposable {
  /** Aborts with the fault as its reason. */
  readonly signal: AbortSignal;
}

/** Watches until it is disposed; other uncaught errors pass untouched. */
export function watchDisk(directory: string, target: EventTarget = globalThis): DiskWatch {
  const fault = new AbortController();
  const take = (event: Event): void => {
    const cause: unknown = (event as ErrorEvent).error;
    if (!(cause instanceof Error) || !("code" in cause) || !DISK_CODES.includes(cause.code)) return;
    event.preventDefault();
    fault.abort(new Error(`the archive cannot be written to "${directory}"`, { cause }));
  };
  target.addEventListener("error", take);
  return {
    signal: fault.signal,
    [Symbol.dispose](): void {
      target.removeEventListener("error", take);
    },
  };
}
