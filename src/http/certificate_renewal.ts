/**
 * Takes a renewed certificate into use while the server runs, and tells when one is about to end.
 */
import { messageOf } from "../errors.ts";
import { type Every, watchFiles } from "../platform/file_watch.ts";
import type { Logger } from "../telemetry/log.ts";
import type { TlsFiles, TlsMaterial } from "./tls.ts";

const DAY_MS = 86_400_000;

/** Renewers replace a certificate weeks before its end; one that is this close has been forgotten. */
const ENDS_SOON_DAYS = 14;

export interface CertificateRenewalOptions {
  readonly files: TlsFiles;
  /** Serves new connections with it. */
  readonly serve: (material: TlsMaterial) => Promise<void>;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly every?: Every;
}

export class CertificateRenewal implements AsyncDisposable {
  readonly #options: CertificateRenewalOptions;
  readonly #watch: Disposable;
  #served: TlsMaterial;
  /** State of the files when they were last read. */
  #seen: string;
  #failure: string | undefined;
  #last: Promise<void> = Promise.resolve();
  #ended = false;

  /** What `files` holds now is being served already. */
  constructor(options: CertificateRenewalOptions) {
    const { files, every } = options;
    this.#options = options;
    this.#served = files.current;
    // Nothing is known of what happened since they were read, so the first look reads them again.
    this.#seen = "";
    this.#warn();
    this.#watch = watchFiles({
      paths: files.paths,
      onEvent: () => void this.check(),
      onPoll: () => void this.check(true),
      ...(every === undefined ? {} : { every }),
    });
  }

  /**
   * Looks at the files and serves what is new in them. One look at a time.
   *
   * @param retry also reads files that have not changed since they could not be used
   */
  check(retry = false): Promise<void> {
    this.#last = this.#last.then(() => this.#check(retry));
    return this.#last;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    this.#watch[Symbol.dispose]();
    await this.#last;
  }

  async #check(retry: boolean): Promise<void> {
    if (this.#ended) return;
    const { files, serve, log } = this.#options;
    const state = await stateOf(files.paths);
    if (state === this.#seen && !(retry && this.#failure !== undefined)) return;
    this.#seen = state;
    try {
      await files.reload();
      this.#failure = undefined;
      if (files.current === this.#served || this.#ended) return;
      await serve(files.current);
      this.#served = files.current;
      log.info("certificate renewed", { valid_until: this.#served.validUntil.toISOString() });
      this.#warn();
    } catch (error) {
      const failure = messageOf(error);
      if (failure !== this.#failure) {
        log.error("cannot renew the certificate; the one before stays in use", { cause: failure });
      }
      this.#failure = failure;
    }
  }

  #warn(): void {
    const { log, now } = this.#options;
    const { validFrom, validUntil } = this.#served;
    const leftMs = validUntil.getTime() - now();
    const fields = { valid_from: validFrom.toISOString(), valid_until: validUntil.toISOString() };
    if (leftMs <= 0) log.warn("the certificate has expired", fields);
    else if (validFrom.getTime() > now()) log.warn("the certificate is not valid yet", fields);
    else if (leftMs <= ENDS_SOON_DAYS * DAY_MS) log.warn("the certificate ends soon", fields);
  }
}

/** Differs whenever one of the files does, without reading them. */
async function stateOf(paths: readonly string[]): Promise<string> {
  const states = await Promise.all(paths.map(async (path) => {
    try {
      const { dev, ino, size, mtime, ctime } = await Deno.stat(path);
      return [dev, ino, size, mtime?.getTime(), ctime?.getTime()].join(":");
    } catch {
      return "gone";
    }
  }));
  return states.join(" ");
}
