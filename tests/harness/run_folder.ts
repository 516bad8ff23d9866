/**
 * The folder of one run: what a process under test gets as temporary directory, home and working directory, so
 * that everything it leaves behind is seen.
 */

import { mkdtempSync } from "node:fs";

/** Directly below `/tmp`: below a longer path the product finds no room for sockets and goes elsewhere. */
const SHORT_PREFIX = "/tmp/run-";

/** The runtime of a compiled program keeps one file of compiled code for all its runs; that is not ours to remove. */
const RUNTIME_CACHE = /^deno-compile-.*\.cache$/;

export class RunFolder {
  readonly path: string;
  /** `TMPDIR` of the process. */
  readonly temporary: string;
  /** Its working directory. */
  readonly work: string;
  readonly journal: string;
  readonly starts: string;

  /** @param path an empty folder that is there already and that the run takes over */
  constructor(path = mkdtempSync(SHORT_PREFIX)) {
    this.path = path;
    this.temporary = `${this.path}/tmp`;
    this.work = `${this.path}/work`;
    this.journal = `${this.path}/fake.log`;
    this.starts = `${this.path}/fake.starts`;
    Deno.mkdirSync(this.temporary);
    Deno.mkdirSync(this.work);
  }

  /** What the product has put into the temporary directory, as paths relative to it. */
  temporaryEntries(): string[] {
    return listBelow(this.temporary, "").filter((path) => !RUNTIME_CACHE.test(path));
  }

  /** Directories at the top of the temporary directory, with their permission bits. */
  temporaryDirectories(): { name: string; mode: number }[] {
    return Array.from(Deno.readDirSync(this.temporary)).filter((entry) => entry.isDirectory).map((
      { name },
    ) => ({
      name,
      mode: (Deno.statSync(`${this.temporary}/${name}`).mode ?? 0) & 0o777,
    }));
  }

  remove(): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

function listBelow(root: string, relative: string): string[] {
  return Array.from(Deno.readDirSync(`${root}/${relative}`)).flatMap((entry) => {
    const path = relative === "" ? entry.name : `${relative}/${entry.name}`;
    return entry.isDirectory ? [path, ...listBelow(root, path)] : [path];
  });
}
