/**
 * Moves single JSON-RPC messages between one client and the generations that serve it.
 *
 * Messages cross as the bytes they came in; what is touched is listed in `docs/architecture.md`. Every request
 * of the client is answered: by upstream, by the bridge, or, when its generation is lost, by an error that says
 * what was lost. None is forwarded twice.
 */
import { AppError, messageOf } from "../errors.ts";
import { isJsonObject, type JsonObject, RPC_CODE } from "../protocol/json_rpc.ts";
import type { Logger } from "../telemetry/log.ts";
import { CHILD_NOTICE, readNotice } from "../upstream/child_notice.ts";
import type { Generation, Loss, UpstreamFrame } from "../upstream/generation.ts";
import { silentUpstream, Supervisor } from "../upstream/supervisor.ts";
import type { UpstreamProcess } from "../upstream/process.ts";
import { Answers } from "./answers.ts";
import { BrowserCalls, type BrowserPreparer } from "./browser_calls.ts";
import type { BrowserLimitWatch } from "./browser_limits.ts";
import type { BrowserGate, GateProgress } from "./browser_gate.ts";
import { type ClientMessage, type ClientRequest, readClientMessage } from "./client_message.ts";
import {
  type ClientPort,
  encodeMessage,
  errorMessage,
  notificationMessage,
  resultMessage,
} from "./client_port.ts";
import { ClientHandshake } from "./client_handshake.ts";
import type { MissingLibraries } from "./launch_failure.ts";
import type { PendingRequest, PendingRequests } from "./pending_requests.ts";
import { embeddedInitializeResult, INCOMPLETE_INITIALIZE, isCompleteInitialize } from "./handshake.ts";
import { type LocalTool, reportResult } from "./local_tools.ts";
import { ToolList } from "./tool_list.ts";
import type { TrafficObserver } from "./traffic_observer.ts";
import { UpstreamMessages } from "./upstream_messages.ts";

export interface RelayOptions {
  readonly client: ClientPort;
  readonly launch: (generation: number) => Promise<UpstreamProcess>;
  /** What has to be there before the first browser call reaches upstream. */
  readonly gate: BrowserGate;
  /** Needs the browser of each generation before the client's calls do. */
  readonly preparer?: BrowserPreparer | undefined;
  readonly localTools: (relay: Relay) => ReadonlyMap<string, LocalTool>;
  /** Whether upstream is the embedded one, whose `initialize` result is known ahead. */
  readonly embedded: boolean;
  /** Says when a browser has to be replaced, where it may not serve for ever. */
  readonly limits?: BrowserLimitWatch | undefined;
  /** Of the browser that this session launches. */
  readonly missingLibraries: MissingLibraries;
  /** How long a new child may take to answer `initialize`. */
  readonly startTimeoutMs: number;
  /** How long an orderly end of a child may take. */
  readonly stopGraceMs: number;
  /** Told the size of each message, in either direction. */
  readonly onTraffic: (bytes: number) => void;
  /** Told what crosses and how calls end, where somebody counts. */
  readonly observer?: TrafficObserver | undefined;
  readonly log: Logger;
}

/** A message that waits for the generation that is starting, in the client's order. */
interface Waiting {
  readonly bytes: Uint8Array;
  readonly request: PendingRequest | undefined;
}

export class Relay {
  readonly supervisor: Supervisor;
  readonly tools: ToolList;
  readonly #options: RelayOptions;
  readonly #local: ReadonlyMap<string, LocalTool>;
  readonly #answers: Answers;
  readonly #handshake = new ClientHandshake();
  readonly #browser: BrowserCalls;
  readonly #upstreamMessages: UpstreamMessages;
  #waiting: Waiting[] = [];
  #startedAgain = false;
  #admitting = true;
  #lastLoss: Loss | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#local = options.localTools(this);
    this.tools = new ToolList([...this.#local.values()].map((tool) => tool.definition));
    this.#answers = new Answers({
      client: options.client,
      tools: this.tools,
      observer: options.observer,
      log: options.log,
    });
    this.supervisor = new Supervisor({
      log: options.log,
      ownIdPrefix: `cloakbrowser-mcp:${crypto.randomUUID()}:`,
      launch: options.launch,
      handshake: (generation) => this.#shakeHands(generation),
      onFrame: (generation, frame) => this.#fromUpstream(generation, frame),
      onReady: (generation) => this.#flush(generation),
      onLost: (number, loss) => this.#onLost(number, loss),
    });
    this.#browser = new BrowserCalls({
      gate: options.gate,
      preparer: options.preparer,
      supervisor: this.supervisor,
      pending: this.#pending,
      startTimeoutMs: options.startTimeoutMs,
      stopGraceMs: options.stopGraceMs,
      giveUp: (request, loss) => this.#answerLost(request, loss),
      onRestart: (reason) => options.observer?.restarted(reason),
      protocolVersion: () => this.protocolVersion,
      limits: options.limits,
      missingLibraries: options.missingLibraries,
      log: options.log,
    });
    this.#upstreamMessages = new UpstreamMessages({
      answers: this.#answers,
      browser: this.#browser,
      tools: this.tools,
      missingLibraries: options.missingLibraries,
      log: options.log,
    });
  }

  get #pending(): PendingRequests {
    return this.#answers.pending;
  }

  /** Takes one message of the client. Resolves when the next may follow. */
  async fromClient(bytes: Uint8Array): Promise<void> {
    await this.take(readClientMessage(bytes), bytes);
  }

  /** As `fromClient`, for a message that has been read already. `bytes` hold it on one line. */
  async take(message: ClientMessage, bytes: Uint8Array): Promise<void> {
    this.#options.onTraffic(bytes.length);
    this.#options.observer?.message("from_client", bytes.length);
    switch (message.kind) {
      case "fault":
        return await this.#answers.send(errorMessage(message.id, message.error));
      case "response":
        return await this.#upstreamMessages.answer(message.id, bytes, this.supervisor.ready);
      case "notification":
        return await this.#clientNotification(message.method, message.params, bytes);
      case "request":
        return await this.#clientRequest(message, bytes);
    }
  }

  /** Whether the client's `initialize` was answered with a result. */
  get initialized(): boolean {
    return this.#handshake.answered;
  }

  /** The revision of MCP that client and upstream have agreed upon. */
  get protocolVersion(): string | undefined {
    return this.#handshake.protocolVersion;
  }

  /** Lets the client ask again what tools there are. */
  toolsChanged(): void {
    if (this.#handshake.answered) {
      this.#answers.sendSoon(notificationMessage("notifications/tools/list_changed"));
    }
  }

  /** The browser of a generation is gone, whatever upstream thinks. */
  browserLost(generation: number): void {
    this.#browser.browserLost(generation);
  }

  /** Takes no more requests; resolves when those that are running have been answered. */
  drain(): Promise<void> {
    this.#admitting = false;
    return this.#pending.until(() => this.#pending.size === 0);
  }

  /**
   * Ends the upstream and answers what still waits. Nothing of the session is left when it resolves.
   *
   * @param why for those who get such an answer, as the end of "because …"
   */
  async close(graceMs: number, why = "the server is shutting down"): Promise<void> {
    this.#admitting = false;
    const stopped = this.supervisor.stop(graceMs);
    this.#waiting = [];
    const loss: Loss = { reason: `was ended because ${why}`, lastWords: "", final: true };
    for (const request of this.#pending.all()) this.#answerLost(request, loss);
    await stopped;
  }

  async #clientRequest(request: ClientRequest, bytes: Uint8Array): Promise<void> {
    const { id, method } = request;
    if (request.unanswerable !== undefined && this.#options.embedded) {
      return await this.#answers.refuse(request, request.unanswerable.code, request.unanswerable.message);
    }
    if (method === "initialize") return await this.#clientInitialize(request);
    if (!this.#handshake.begun) {
      if (method === "ping") return await this.#answers.send(resultMessage(id, {}));
      return await this.#answers.refuse(
        request,
        RPC_CODE.invalidRequest,
        `Cannot run "${method}" before "initialize"`,
      );
    }
    if (!this.#admitting) {
      return await this.#answers.refuse(
        request,
        RPC_CODE.serverError,
        "Cannot take the request: the server is shutting down",
      );
    }
    if (this.#pending.get(id) !== undefined) {
      return await this.#answers.refuse(
        request,
        RPC_CODE.invalidRequest,
        `Request id ${JSON.stringify(id)} is in use`,
      );
    }
    if (method === "tools/call") return await this.#toolCall(request, bytes);
    const pending = this.#pending.admit(request, undefined);
    if (this.supervisor.state === "lost" && this.#answerWithoutUpstream(pending)) return;
    await this.#forward({ bytes, request: pending });
  }

  async #clientInitialize(request: ClientRequest): Promise<void> {
    if (this.#handshake.begun) {
      return await this.#answers.refuse(
        request,
        RPC_CODE.invalidRequest,
        "The session is initialized already",
      );
    }
    if (!isCompleteInitialize(request.params)) {
      return await this.#answers.refuse(request, RPC_CODE.invalidParams, INCOMPLETE_INITIALIZE);
    }
    this.#handshake.begin();
    this.#browser.restartIfLost();
    if (this.#options.embedded) {
      const result = this.#handshake.agree(embeddedInitializeResult(request.params));
      await this.#answers.send(resultMessage(request.id, result));
    } else {
      this.#pending.admit(request, undefined);
    }
    this.#handshake.tell(request.params);
  }

  async #toolCall(request: ClientRequest, bytes: Uint8Array): Promise<void> {
    const { params } = request;
    if (!isJsonObject(params) || typeof params.name !== "string") {
      return await this.#answers.refuse(
        request,
        RPC_CODE.invalidParams,
        'Invalid params: "name" must be a string',
      );
    }
    if (params.arguments !== undefined && !isJsonObject(params.arguments)) {
      return await this.#answers.refuse(
        request,
        RPC_CODE.invalidParams,
        'Invalid params: "arguments" must be an object',
      );
    }
    const pending = this.#pending.admit(request, params.name);
    const local = this.#local.get(params.name);
    if (local !== undefined) return await this.#callLocal(pending, local);
    if (this.#browser.open) {
      this.#browser.restartIfLost();
      return await this.#forward({ bytes, request: pending });
    }
    // Not awaited: a download takes minutes, and what else the client sends must get through meanwhile.
    void this.#forwardWhenAdmitted({ bytes, request: pending }, progressTokenOf(params));
  }

  async #forwardWhenAdmitted(waiting: Waiting & { request: PendingRequest }, token: unknown): Promise<void> {
    const { request } = waiting;
    const report = (progress: GateProgress): void => {
      if (token === undefined || !this.#pending.holds(request)) return;
      this.#answers.sendSoon(
        notificationMessage("notifications/progress", { progressToken: token, ...progress }),
      );
    };
    try {
      while (this.#pending.holds(request) && !this.#browser.open) await this.#browser.admit(report);
      if (!this.#pending.holds(request)) return;
      this.#browser.restartIfLost();
      await this.#forward(waiting);
    } catch (error) {
      if (!(error instanceof AppError)) {
        this.#options.log.error("browser gate failed", { cause: messageOf(error) });
      }
      this.#answers.giveToolError(request, messageOf(error), "unavailable");
    }
  }

  async #callLocal(pending: PendingRequest, tool: LocalTool): Promise<void> {
    try {
      this.#answers.give(pending, resultMessage(pending.id, reportResult(await tool.report())));
    } catch (error) {
      this.#answers.giveToolError(pending, messageOf(error), "tool_error");
    }
  }

  /** So that what the preparer has to offer is there before the first call. */
  async #prepareBrowser(): Promise<void> {
    try {
      await this.#browser.admit(() => {});
    } catch (error) {
      this.#options.log.warn("the browser is not ready; the next call tries again", {
        cause: messageOf(error),
      });
    }
  }

  async #clientNotification(method: string, params: unknown, bytes: Uint8Array): Promise<void> {
    if (method === "notifications/initialized") {
      this.#handshake.complete(bytes);
      if (this.supervisor.ready !== undefined) await this.#handshake.pass(this.supervisor.ready);
      if (this.#options.preparer !== undefined) void this.#prepareBrowser();
      return;
    }
    if (method === "notifications/cancelled" && isJsonObject(params) && this.#cancel(params.requestId)) {
      return;
    }
    if (this.supervisor.state === "lost") return;
    await this.#forward({ bytes, request: undefined });
  }

  /**
   * Forgets a request that its client has given up: no answer to it is delivered any more.
   *
   * @returns whether upstream need not be told, because the request never reached it
   */
  #cancel(id: unknown): boolean {
    if (typeof id !== "string" && typeof id !== "number") return false;
    const request = this.#pending.get(id);
    if (request === undefined || request.method === "initialize") return false;
    this.#answers.cancelled(request);
    this.#waiting = this.#waiting.filter((waiting) => waiting.request !== request);
    return request.generation === undefined;
  }

  async #forward(waiting: Waiting): Promise<void> {
    const generation = this.supervisor.ready;
    if (generation === undefined) {
      this.#waiting.push(waiting);
      return;
    }
    if (waiting.request !== undefined) {
      waiting.request.generation = generation.number;
      if (waiting.request.tool !== undefined) this.#browser.callStarted(generation.number);
    }
    await generation.send(waiting.bytes);
  }

  async #shakeHands(generation: Generation): Promise<void> {
    const params = await this.#handshake.params;
    const answer = await generation.request("initialize", params, this.#options.startTimeoutMs);
    if (answer === undefined) throw silentUpstream(this.#options.startTimeoutMs);
    const asked = this.#pending.all().find((request) => request.method === "initialize");
    if (asked !== undefined) {
      const outcome = answer.error === undefined && isJsonObject(answer.result)
        ? resultMessage(asked.id, this.#handshake.agree(answer.result))
        : encodeMessage({ ...answer, id: asked.id });
      this.#answers.give(asked, outcome);
    }
    if (answer.error !== undefined) {
      this.#handshake.fail();
      throw new AppError("upstream_failed", `refused "initialize": ${answer.error.message}`);
    }
  }

  #flush(generation: Generation): void {
    void this.#handshake.pass(generation);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) void this.#forward(each);
    if (generation.number > 1) void this.#announceOtherTools(generation);
  }

  async #announceOtherTools(generation: Generation): Promise<void> {
    const changed = await this.tools.differs(async (cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await generation.request("tools/list", params, this.#options.startTimeoutMs);
      return isJsonObject(answer?.result) ? answer.result : undefined;
    });
    if (changed) this.#answers.sendSoon(notificationMessage("notifications/tools/list_changed"));
  }

  async #fromUpstream(generation: Generation, frame: UpstreamFrame): Promise<void> {
    const { bytes, envelope } = frame;
    if (this.#options.embedded && envelope.kind === "notification" && envelope.method === CHILD_NOTICE) {
      return this.#browser.childSays(generation.number, readNotice(bytes));
    }
    this.#options.onTraffic(bytes.length);
    this.#options.observer?.message("from_upstream", bytes.length);
    await this.#upstreamMessages.take(generation.number, frame);
  }

  #onLost(number: number, loss: Loss): void {
    this.#lastLoss = loss;
    this.#options.preparer?.lost(number);
    this.#upstreamMessages.abandon(number, loss);
    const waited = new Set(this.#waiting.map((each) => each.request));
    this.#waiting = [];
    let told = false;
    for (const request of this.#pending.all()) {
      if (request.method === "initialize" && this.#startAgainFor(request)) continue;
      const hit = request.generation === number || waited.has(request) || request.method === "initialize";
      if (!hit) continue;
      told ||= request.tool !== undefined;
      this.#answerLost(request, loss);
    }
    if (!told) this.#browser.lostUnnoticed(number, loss);
  }

  /**
   * A process that died before it answered `initialize` may have stood ready for hours: the client gets another one,
   * once. One that is silent does not get better by being started again.
   */
  #startAgainFor(initialize: PendingRequest): boolean {
    const silent = performance.now() - initialize.since >= this.#options.startTimeoutMs;
    if (silent || this.#startedAgain) return false;
    this.#startedAgain = true;
    this.supervisor.start();
    return true;
  }

  #answerLost(request: PendingRequest, loss: Loss): void {
    if (request.method === "initialize") this.#handshake.fail();
    this.#answers.giveLost(request, loss);
  }

  /**
   * No upstream is there. Only who needs the tools, and has never seen them, is worth a start.
   *
   * @returns false where the request has to wait for the upstream that was started
   */
  #answerWithoutUpstream(request: PendingRequest): boolean {
    if (request.method === "ping") {
      this.#answers.give(request, resultMessage(request.id, {}));
      return true;
    }
    if (request.method === "tools/list") {
      const page = this.tools.recall(request.cursor);
      if (page !== undefined) this.#answers.give(request, resultMessage(request.id, page));
      else this.supervisor.start();
      return page !== undefined;
    }
    this.#answerLost(request, this.#lastLoss ?? { reason: "was not started", lastWords: "" });
    return true;
  }
}

function progressTokenOf(params: JsonObject): unknown {
  return isJsonObject(params._meta) ? params._meta.progressToken : undefined;
}
