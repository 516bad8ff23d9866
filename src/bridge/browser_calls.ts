/**
 * What has to be true before a browser call may go upstream: the executable is there, an upstream runs that was started
 * with it, and, where somebody asks for it, that upstream's browser has been prepared.
 */
import { AppError, messageOf } from "../errors.ts";
import { settlesWithin } from "../platform/deadline.ts";
import { isJsonObject, type JsonObject } from "../protocol/json_rpc.ts";
import type { ChildNotice } from "../upstream/child_notice.ts";
import type { Generation, Loss } from "../upstream/generation.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Supervisor } from "../upstream/supervisor.ts";
import { type ContentBlock, textBlock } from "./added_content.ts";
import type { BrowserGate, GateProgress } from "./browser_gate.ts";
import type { BrowserLimitWatch } from "./browser_limits.ts";
import { DownloadNews } from "./download_news.ts";
import { launchFailureText, type MissingLibraries } from "./launch_failure.ts";
import type { PendingRequest, PendingRequests } from "./pending_requests.ts";
import { restartNotice } from "./restart_notice.ts";
import type { RestartReason } from "./traffic_observer.ts";

/** A generation before the client's browser calls reach it. */
export interface UnpreparedBrowser {
  readonly generation: number;
  /** Of the upstream process. */
  readonly pid: number;
  /** Calls a tool of upstream's; rejects where it fails or upstream is lost. */
  readonly runTool: (name: string, args: JsonObject) => Promise<void>;
}

/** Somebody who needs the browser of each generation before the client's calls do. */
export interface BrowserPreparer {
  /** Rejects where the generation cannot be used; it is given up then. */
  prepare(browser: UnpreparedBrowser): Promise<void>;
  /** The generation is over. */
  lost(generation: number): void;
}

export interface BrowserCallsOptions {
  readonly gate: BrowserGate;
  readonly preparer: BrowserPreparer | undefined;
  readonly supervisor: Supervisor;
  readonly pending: PendingRequests;
  readonly startTimeoutMs: number;
  readonly stopGraceMs: number;
  readonly log: Logger;
  /** Answers a request that its upstream will not answer any more. */
  readonly giveUp: (request: PendingRequest, loss: Loss) => void;
  readonly onRestart: (reason: RestartReason) => void;
  /** The revision of MCP that the client speaks. */
  readonly protocolVersion: () => string | undefined;
  /** Says when a browser has to be replaced. */
  readonly limits: BrowserLimitWatch | undefined;
  readonly missingLibraries: MissingLibraries;
}

/** After it the agent knows that there is no browser. */
const CLOSING_TOOL = "browser_close";

/** How long upstream may take to answer what it was asked when its browser went away: it usually does at once. */
const LAST_ANSWERS_MS = 5000;

export class BrowserCalls {
  readonly #options: BrowserCallsOptions;
  #replanning: Promise<void> | undefined;
  #preparation: { readonly generation: number; readonly done: Promise<void>; prepared: boolean } | undefined;
  /** Settles when a generation whose browser has gone has been given up. */
  #leaving: Promise<void> | undefined;
  /** The last generation whose browser an agent has seen. */
  #seen = 0;
  /** What the agent has to be told of a browser that it has lost. */
  #notice: string | undefined;
  readonly #downloads = new DownloadNews();

  constructor(options: BrowserCallsOptions) {
    this.#options = options;
  }

  /** Whether a call may go upstream, or wait for it, at once. */
  get open(): boolean {
    const { gate, preparer, supervisor } = this.#options;
    const changing = this.#replanning !== undefined || this.#leaving !== undefined;
    if (!gate.open || changing || this.#overLimit() !== undefined) return false;
    if (preparer === undefined) return true;
    const { generation, prepared = false } = this.#preparation ?? {};
    return prepared && supervisor.ready?.number === generation;
  }

  /**
   * Brings the browser to where a call may go upstream. Concurrent callers share the work.
   *
   * @throws {AppError} with a text for the agent
   */
  async admit(report: (progress: GateProgress) => void): Promise<void> {
    const { gate, preparer } = this.#options;
    const { replanned } = await gate.pass(report);
    if (replanned) this.#replanning = this.#replaceWhenQuiet();
    await this.#replanning;
    await this.#leaving;
    this.#replaceOverLimit();
    this.restartIfLost();
    if (preparer !== undefined) await this.#prepare(preparer);
  }

  /** A call reaches the browser of a generation. */
  callStarted(generation: number): void {
    this.#seen = generation;
    this.#options.limits?.callStarted(generation);
  }

  /**
   * A call has been answered.
   *
   * @returns what its agent has to be told on top of the answer
   */
  callEnded({ tool, generation }: PendingRequest): ContentBlock[] {
    const { limits, supervisor, protocolVersion } = this.#options;
    const { pid } = supervisor;
    if (generation !== undefined && pid !== undefined) void limits?.callEnded(generation, pid);
    if (tool === CLOSING_TOOL) this.#seen = 0;
    const blocks = this.#downloads.take(protocolVersion());
    if (this.#notice !== undefined) blocks.push(textBlock(this.#notice));
    this.#notice = undefined;
    return blocks;
  }

  /** The child of a generation tells something beside upstream's messages. */
  childSays(generation: number, notice: ChildNotice): void {
    switch (notice.kind) {
      case "warning":
        return this.#options.log.warn(notice.text);
      case "browser_gone":
        return this.#browserGone(generation);
      case "pages":
        return this.#options.limits?.pagesOpen(generation, notice.open);
      case "download":
        return this.#downloads.add(notice);
    }
  }

  /** A generation is gone that no call was waiting for, so that nobody has been told. */
  lostUnnoticed(generation: number, loss: Loss): void {
    if (this.#seen === generation) this.#notice = restartNotice(`the upstream ${loss.reason}`);
  }

  /** For who is about to forward a call. */
  restartIfLost(): void {
    const { supervisor, onRestart } = this.#options;
    if (supervisor.state !== "lost") return;
    supervisor.start();
    onRestart("lost");
  }

  /** Of itself or because a call has closed it: then upstream starts another by itself. */
  #browserGone(generation: number): void {
    const closing = this.#options.pending.of(generation).some(({ tool }) => tool === CLOSING_TOOL);
    if (!closing && this.#seen === generation) this.browserLost(generation);
  }

  /** A browser has gone whose upstream lives on. No call reaches that upstream any more; the next one starts another. */
  browserLost(generation: number): void {
    const { supervisor, pending } = this.#options;
    if (supervisor.number !== generation) return;
    this.#leaving = (async (): Promise<void> => {
      // Among them may be the call that has closed the browser.
      await settlesWithin(pending.until(() => pending.of(generation).length === 0), LAST_ANSWERS_MS);
      this.#leaving = undefined;
      supervisor.giveUp(generation, { reason: "lost its browser", lastWords: "" }, this.#options.stopGraceMs);
    })();
  }

  /** Why the browser has to be replaced now: calls that run are left in peace, and whoever comes meanwhile joins them. */
  #overLimit(): string | undefined {
    const { limits, supervisor, pending } = this.#options;
    const why = limits?.exceeded(supervisor.number);
    return why !== undefined && supervisor.ready !== undefined && pending.of(supervisor.number).length === 0
      ? why
      : undefined;
  }

  #replaceOverLimit(): void {
    const { supervisor, preparer, stopGraceMs, onRestart, log } = this.#options;
    const why = this.#overLimit();
    if (why === undefined) return;
    log.info("replacing the browser", { generation: supervisor.number, why });
    preparer?.lost(supervisor.number);
    supervisor.replace(stopGraceMs);
    onRestart("limit");
    this.#notice = restartNotice(`the former one ${why}`);
  }

  /**
   * The child was started with another executable than the one there is: no browser runs in it yet. What it is
   * asked at this moment it may still answer.
   */
  async #replaceWhenQuiet(): Promise<void> {
    const { supervisor, pending, startTimeoutMs, stopGraceMs, giveUp, onRestart } = this.#options;
    const { number } = supervisor;
    await settlesWithin(pending.until(() => pending.of(number).length === 0), startTimeoutMs);
    for (const request of pending.of(number)) giveUp(request, { reason: "did not answer", lastWords: "" });
    this.#replanning = undefined;
    supervisor.replace(stopGraceMs);
    onRestart("browser_changed");
  }

  async #prepare(preparer: BrowserPreparer): Promise<void> {
    const generation = await this.#options.supervisor.whenReady();
    if (this.#preparation?.generation !== generation.number) {
      const preparation = {
        generation: generation.number,
        prepared: false,
        done: this.#prepareOne(preparer, generation).then(() => void (preparation.prepared = true)),
      };
      this.#preparation = preparation;
    }
    await this.#preparation?.done;
  }

  async #prepareOne(preparer: BrowserPreparer, generation: Generation): Promise<void> {
    const { supervisor, stopGraceMs, missingLibraries } = this.#options;
    try {
      await preparer.prepare({
        generation: generation.number,
        pid: generation.process.pid,
        runTool: (name, args) => runTool(generation, name, args, missingLibraries),
      });
    } catch (error) {
      // A browser that is not what it has to be must not serve anybody.
      supervisor.giveUp(generation.number, { reason: messageOf(error), lastWords: "" }, stopGraceMs);
      throw error;
    }
  }
}

/** The preparer has a deadline of its own, and gives the generation up with it. */
const TOOL_MS = 10 * 60_000;

async function runTool(
  generation: Generation,
  name: string,
  args: JsonObject,
  missingLibraries: MissingLibraries,
): Promise<void> {
  const answer = await generation.request("tools/call", { name, arguments: args }, TOOL_MS);
  if (answer === undefined) throw new AppError("upstream_failed", `The upstream did not answer "${name}"`);
  const { error, result } = answer;
  if (error !== undefined) throw new AppError("upstream_failed", `"${name}" failed: ${error.message}`);
  if (isJsonObject(result) && result.isError === true) {
    throw new AppError("upstream_failed", `"${name}" failed: ${await textOf(result, missingLibraries)}`);
  }
}

async function textOf(result: JsonObject, missingLibraries: MissingLibraries): Promise<string> {
  const [first] = Array.isArray(result.content) ? result.content : [];
  // Upstream begins its errors with a heading, which is ours to set.
  if (!isJsonObject(first) || typeof first.text !== "string") return "without a reason";
  return (await launchFailureText(first.text, missingLibraries) ?? first.text).replace(/^### Error\n/, "");
}
