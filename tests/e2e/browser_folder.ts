/**
 * The folder of one run with a real browser: a home of its own besides what every run gets, so that neither the
 * profiles of other runs nor those of the user are touched.
 */
import { mkdtempSync } from "node:fs";
import { inheritedEnvironment } from "../harness/bridge_run.ts";
import { RunFolder } from "../harness/run_folder.ts";

/** Directly below `/tmp`: a longer path would leave no room for the sockets that Chromium and upstream make. */
const SHORT_PREFIX = "/tmp/e2e-";

export class BrowserFolder extends RunFolder implements Disposable {
  readonly home: string;

  constructor() {
    super(mkdtempSync(SHORT_PREFIX));
    this.home = `${this.path}/home`;
    Deno.mkdirSync(this.home);
  }

  /** Environment of a program that runs in this folder. */
  get environment(): Record<string, string> {
    // A product that runs from source finds its packages where they are, not below the home of the run.
    const cache = `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/deno`;
    return { DENO_DIR: cache, ...inheritedEnvironment(), HOME: this.home, TMPDIR: this.temporary };
  }

  /** Writes a file into the working directory and returns its path. */
  write(name: string, content: string): string {
    const path = `${this.work}/${name}`;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(path, content);
    return path;
  }

  [Symbol.dispose](): void {
    this.remove();
  }
}
