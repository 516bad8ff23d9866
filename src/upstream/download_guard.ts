/**
 * Watches over the downloads of the child's browser: none where none are wanted, none that would fill the disk, and none
 * that overwrites another. What becomes of each is told to the bridge.
 */

import { readdirSync } from "node:fs";
import fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../errors.ts";
import type { DownloadEnd, DownloadNotice } from "./child_notice.ts";
import { downloadName } from "./download_name.ts";
import { type Download, mustHave, type Page } from "./playwright_page.ts";

export interface DownloadRules {
  readonly mode: "keep" | "deny";
  /** How many bytes the directory of the downloads may hold, with those on their way. */
  readonly maxBytes?: number;
  /** Where the browser writes what is on its way, and nothing else; undefined where nobody can look. */
  readonly arrivals?: string;
  /** Absolute path of the directory that upstream saves files in. */
  readonly directory: string;
}

/** Between two looks at what is on its way. A local site sends some ten megabytes in that time. */
const LOOK_EVERY_MS = 100;

/** A download from its start until it has been saved, or has failed. */
interface Flight {
  readonly download: Download;
  stopped: boolean;
}

export class DownloadGuard {
  readonly #rules: DownloadRules;
  readonly #tell: (notice: DownloadNotice) => void;
  readonly #watched = new WeakSet<object>();
  readonly #flights = new Set<Flight>();
  /** Names of files in `arrivals` that have been dealt with; the browser keeps them until it ends. */
  readonly #arrived = new Set<string>();
  /** Names that files of this child have, or will have. */
  readonly #names = new Set<string>();
  #looking = false;

  constructor(rules: DownloadRules, tell: (notice: DownloadNotice) => void) {
    this.#rules = rules;
    this.#tell = tell;
    // A directory of the user's may hold what other browsers have left.
    if (rules.arrivals !== undefined) { for (const name of namesIn(rules.arrivals)) this.#arrived.add(name); }
  }

  /**
   * Watches the pages of the page's context, those to come too: a popup can download before upstream has dealt with it.
   *
   * @throws {Error} where Playwright is not as we know it
   */
  watch(page: Page): void {
    const context = page.context();
    this.#watchPage(page);
    if (this.#watched.has(context)) return;
    this.#watched.add(context);
    context.on("page", (other) => this.#watchPage(other));
    for (const other of context.pages()) this.#watchPage(other);
  }

  #watchPage(page: Page): void {
    if (this.#watched.has(page)) return;
    mustHave(page, "page", ["prependListener"]);
    this.#watched.add(page);
    // Before upstream, which asks for the name and saves at once.
    page.prependListener("download", (download) => this.#take(download));
  }

  #take(download: Download): void {
    const suggested = download.suggestedFilename();
    if (this.#rules.mode === "deny") {
      download.saveAs = () => Promise.reject(new Error("downloads are refused"));
      download.cancel().catch(() => {});
      return this.#tell({ kind: "download", name: suggested, outcome: "refused" });
    }
    const name = downloadName(suggested, this.#rules.directory, this.#names);
    this.#names.add(name.file);
    if (name.shown !== suggested) download.suggestedFilename = () => name.shown;
    const save = download.saveAs.bind(download);
    const flight: Flight = { download, stopped: false };
    // Upstream saves it; so may the code of an agent, wherever it likes.
    let told = false;
    download.saveAs = async (path) => {
      if (dirname(path) !== this.#rules.directory || told) return await save(path);
      told = true;
      await this.#save(
        flight,
        path,
        save,
        (end) => this.#tell({ kind: "download", name: name.shown, ...end }),
      );
    };
    this.#flights.add(flight);
    // Where nobody saves it, it is over with its end.
    download.failure().catch(() => {}).finally(() => told || this.#flights.delete(flight));
    void this.#look();
  }

  async #save(
    flight: Flight,
    path: string,
    save: (path: string) => Promise<void>,
    tell: (end: DownloadEnd) => void,
  ): Promise<void> {
    const { maxBytes } = this.#rules;
    try {
      const failure = await flight.download.failure();
      if (failure !== null) throw new Error(failure);
      await save(path);
      const { size } = await fs.stat(path);
      // What came faster than we look.
      if (maxBytes !== undefined && await bytesIn(this.#rules.directory) > maxBytes) {
        flight.stopped = true;
        await fs.rm(path);
        throw new Error("the directory of the downloads is full");
      }
      tell({ outcome: "saved", path, bytes: size });
    } catch (error) {
      tell(
        flight.stopped && maxBytes !== undefined
          ? { outcome: "too_large", maxBytes }
          : { outcome: "failed", reason: messageOf(error) },
      );
      throw error;
    } finally {
      const artifact = await flight.download.path().catch(() => undefined);
      if (artifact !== undefined) this.#arrived.add(basename(artifact));
      this.#flights.delete(flight);
    }
  }

  /** Stops what is on its way when it would be too much. */
  async #look(): Promise<void> {
    const { maxBytes, arrivals, directory } = this.#rules;
    if (maxBytes === undefined || arrivals === undefined || this.#looking) return;
    this.#looking = true;
    try {
      while (this.#flights.size > 0) {
        const bytes = await bytesIn(directory) + await bytesIn(arrivals, this.#arrived);
        if (bytes > maxBytes) this.#stopAll();
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    } finally {
      this.#looking = false;
    }
  }

  /** All of them: nobody can say which one is to blame, and what is left would soon be too much again. */
  #stopAll(): void {
    for (const flight of this.#flights) {
      if (flight.stopped) continue;
      flight.stopped = true;
      flight.download.cancel().catch(() => {});
    }
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Bytes of the files in a directory; what goes away meanwhile counts nothing, nor does a directory that is not there. */
async function bytesIn(directory: string, except: ReadonlySet<string> = new Set()): Promise<number> {
  const names = await fs.readdir(directory).catch(() => []);
  const sizes = await Promise.all(
    names.filter((name) => !except.has(name)).map(async (name) => {
      const entry = await fs.lstat(join(directory, name)).catch(() => undefined);
      return entry?.isFile() ? entry.size : 0;
    }),
  );
  return sizes.reduce((total, size) => total + size, 0);
}
