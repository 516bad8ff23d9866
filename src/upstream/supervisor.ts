/**
 * Which generation serves a session: started once, replaced one at a time, never in the background.
 */
import { AppError, messageOf } from "../errors.ts";
import { Generation, type Loss, type UpstreamFrame } from "./generation.ts";
import type { UpstreamProcess } from "./process.ts";
import type { Logger } from "../telemetry/log.ts";

/**
 * `starting`: a process is on its way and what arrives waits for it. `lost`: none is there, and the next
 * browser call starts one. `stopped`: the session has ended.
 */
export type SupervisorState = "starting" | "ready" | "lost" | "stopped";

export interface SupervisorOptions {
  readonly log: Logger;
  readonly ownIdPrefix: string;
  /** Starts the process of a generation. Rejects where it cannot be started. */
  readonly launch: (number: number) => Promise<UpstreamProcess>;
  /** Brings a new process to the point where it takes requests. Rejects where it does not get there. */
  readonly handshake: (generation: Generation) => Promise<void>;
  readonly onFrame: (generation: Generation, frame: UpstreamFrame) => Promise<void>;
  readonly onReady: (generation: Generation) => void;
  /** `generation` is the number of the lost one. */
  readonly onLost: (generation: number, loss: Loss) => void;
}

export class Supervisor {
  #state: SupervisorState = "lost";
  #number = 0;
  #current: Generation | undefined;
  #ending: Promise<void> = Promise.resolve();
  /** Settles when the process that is being started is there, or will not be. */
  #launching: Promise<void> = Promise.resolve();
  #stopGraceMs: number | undefined;
  #readiness = notReady("has not been started");
  readonly #options: SupervisorOptions;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get state(): SupervisorState {
    return this.#state;
  }

  /** Number of the newest generation; 0 before the first. */
  get number(): number {
    return this.#number;
  }

  /** The generation that takes requests, if there is one. */
  get ready(): Generation | undefined {
    return this.#state === "ready" ? this.#current : undefined;
  }

  /** Process id of the child that is there now. */
  get pid(): number | undefined {
    return this.#current?.process.pid;
  }

  /** Starts a generation unless one is there or on its way: concurrent callers get the same one. */
  start(): void {
    if (this.#state !== "lost") return;
    this.#state = "starting";
    this.#readiness = Promise.withResolvers();
    this.#readiness.promise.catch(() => {});
    const number = ++this.#number;
    void this.#run(number);
  }

  /** Ends the generation that is there, without loss being reported, and starts the next one. */
  replace(graceMs: number): void {
    if (this.#state === "stopped") return;
    const old = this.#current;
    this.#current = undefined;
    this.#state = "lost";
    if (old !== undefined) this.#end(old.process, graceMs);
    this.start();
  }

  /**
   * The generation that is there or on its way, when it takes requests.
   *
   * @throws {AppError} `upstream_failed` where it is lost first, or none is on its way
   */
  whenReady(): Promise<Generation> {
    return this.#readiness.promise;
  }

  /** Gives up a generation whose process still runs: it is lost, and ended. */
  giveUp(number: number, loss: Loss, graceMs: number): void {
    if (this.#isPast(number)) return;
    if (this.#current !== undefined) this.#end(this.#current.process, graceMs);
    this.#lose(number, loss);
  }

  /** Ends the session's processes. Idempotent; resolves when nothing of them is left. */
  async stop(graceMs: number): Promise<void> {
    this.#state = "stopped";
    this.#readiness.reject(new AppError("upstream_failed", "The session has ended"));
    this.#stopGraceMs ??= graceMs;
    if (this.#current !== undefined) this.#end(this.#current.process, graceMs);
    // A process that is just coming up would otherwise outlive the session, and what belongs to it.
    await this.#launching;
    await this.#ending;
  }

  /** Kills the child and its browser now. */
  async kill(): Promise<void> {
    this.#state = "stopped";
    this.#stopGraceMs = 0;
    await this.#current?.process.kill();
  }

  async #run(number: number): Promise<void> {
    const { log } = this.#options;
    const { promise, resolve: launched } = Promise.withResolvers<void>();
    this.#launching = promise;
    let generation: Generation;
    try {
      // A browser profile has one user at a time: the old browser must be gone before the new one starts.
      await this.#ending;
      if (this.#isPast(number)) return;
      const process = await this.#options.launch(number);
      if (this.#isPast(number)) return this.#end(process, this.#stopGraceMs ?? 0);
      generation = new Generation({
        number,
        process,
        log,
        ownIdPrefix: this.#options.ownIdPrefix,
        onFrame: (from, frame) =>
          this.#isPast(number) ? Promise.resolve() : this.#options.onFrame(from, frame),
      });
    } catch (error) {
      this.#lose(number, { reason: `could not be started: ${messageOf(error)}`, lastWords: "" });
      return;
    } finally {
      launched();
    }
    this.#current = generation;
    log.debug("upstream started", { generation: number, pid: generation.process.pid });
    const shaken = this.#options.handshake(generation).then(() => {
      if (this.#isPast(number)) return;
      this.#state = "ready";
      this.#readiness.resolve(generation);
      this.#options.onReady(generation);
    });
    const failed = shaken.then(() => new Promise<never>(() => {}), (error: unknown): Loss => ({
      reason: messageOf(error),
      lastWords: generation.process.lastWords(),
    }));
    const loss = await Promise.race([generation.lost, failed]);
    if (this.#isPast(number)) return;
    // In this order, so that whoever starts the next one at once waits for the end of this one.
    this.#end(generation.process, 0);
    this.#lose(number, loss);
  }

  #isPast(number: number): boolean {
    return number !== this.#number || this.#state === "stopped" || this.#state === "lost";
  }

  #lose(number: number, loss: Loss): void {
    if (this.#isPast(number)) return;
    this.#state = "lost";
    this.#current = undefined;
    // A generation that has been ready once keeps those who waited for it; whoever comes now is told.
    this.#readiness.reject(new AppError("upstream_failed", `The upstream ${loss.reason}`));
    this.#readiness = notReady(loss.reason);
    this.#options.log.warn("upstream lost", { generation: number, reason: loss.reason });
    this.#options.onLost(number, loss);
  }

  #end(process: UpstreamProcess, graceMs: number): void {
    this.#ending = Promise.all([this.#ending, process.stop(graceMs)]).then(() => {}, (error: unknown) => {
      this.#options.log.error("ending the upstream failed", { cause: messageOf(error) });
    });
  }
}

function notReady(reason: string): PromiseWithResolvers<Generation> {
  const readiness = Promise.withResolvers<Generation>();
  readiness.promise.catch(() => {});
  readiness.reject(new AppError("upstream_failed", `The upstream ${reason}`));
  return readiness;
}

/** The fault of an upstream that does not answer the handshake in time. */
export function silentUpstream(timeoutMs: number): AppError {
  return new AppError("upstream_failed", `did not answer "initialize" within ${timeoutMs} ms`);
}
