/**
 * Moves single JSON-RPC messages between one client and the generations that serve it.
 *
 * Messages cross as the bytes they came in; what is touched is listed in `docs/architecture.md`. Every request
 * of the client is answered: by upstream, by the bridge, or, when its generation is lost, by an error that says
 * what was lost. None is forwarded twice.
 */
import { AppError, messageOf } from "../errors.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonRpcId,
  type JsonRpcMessage,
  RPC_CODE,
} from "../protocol/json_rpc.ts";
import { withId } from "../protocol/envelope.ts";
import type { Logger } from "../telemetry/log.ts";
import { CHILD_NOTICE, readNotice } from "../upstream/child_notice.ts";
import type { Generation, Loss, UpstreamFrame } from "../upstream/generation.ts";
import { silentUpstream, Supervisor } from "../upstream/supervisor.ts";
import type { UpstreamProcess } from "../upstream/process.ts";
import { withContent } from "./added_content.ts";
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
  toolErrorMessage,
} from "./client_port.ts";
import { ClientHandshake } from "./client_handshake.ts";
import { type PendingRequest, PendingRequests } from "./pending_requests.ts";
import { embeddedInitializeResult, INCOMPLETE_INITIALIZE, isCompleteInitialize } from "./handshake.ts";
import { type LocalTool, reportResult } from "./local_tools.ts";
import { lossText, lossTextForRequest } from "./loss_text.ts";
import { ToolList } from "./tool_list.ts";
import { outcomeOf } from "./tool_outcome.ts";
import type { CallOutcome, TrafficObserver } from "./traffic_observer.ts";
import { explainLaunchFailure } from "./launch_failure.ts";
import { stampedId, UpstreamRequests } from "./upstream_requests.ts";

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
  readonly #pending = new PendingRequests();
  readonly #handshake = new ClientHandshake();
  readonly #browser: BrowserCalls;
  readonly #upstreamRequests = new UpstreamRequests();
  #waiting: Waiting[] = [];
  #startedAgain = false;
  #admitting = true;
  #lastLoss: Loss | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#local = options.localTools(this);
    this.tools = new ToolList([...this.#local.values()].map((tool) => tool.definition));
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
      log: options.log,
    });
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
        return await this.#send(errorMessage(message.id, message.error));
      case "response":
        return await this.#clientResponse(message.id, bytes);
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
    if (this.#handshake.answered) this.#sendSoon(notificationMessage("notifications/tools/list_changed"));
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
      return await this.#refuse(request, request.unanswerable.code, request.unanswerable.message);
    }
    if (method === "initialize") return await this.#clientInitialize(request);
    if (!this.#handshake.begun) {
      if (method === "ping") return await this.#send(resultMessage(id, {}));
      return await this.#refuse(
        request,
        RPC_CODE.invalidRequest,
        `Cannot run "${method}" before "initialize"`,
      );
    }
    if (!this.#admitting) {
      return await this.#refuse(
        request,
        RPC_CODE.serverError,
        "Cannot take the request: the server is shutting down",
      );
    }
    if (this.#pending.get(id) !== undefined) {
      return await this.#refuse(
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
      return await this.#refuse(request, RPC_CODE.invalidRequest, "The session is initialized already");
    }
    if (!isCompleteInitialize(request.params)) {
      return await this.#refuse(request, RPC_CODE.invalidParams, INCOMPLETE_INITIALIZE);
    }
    this.#handshake.begin();
    this.#browser.restartIfLost();
    if (this.#options.embedded) {
      const result = this.#handshake.agree(embeddedInitializeResult(request.params));
      await this.#send(resultMessage(request.id, result));
    } else {
      this.#pending.admit(request, undefined);
    }
    this.#handshake.tell(request.params);
  }

  async #toolCall(request: ClientRequest, bytes: Uint8Array): Promise<void> {
    const { params } = request;
    if (!isJsonObject(params) || typeof params.name !== "string") {
      return await this.#refuse(request, RPC_CODE.invalidParams, 'Invalid params: "name" must be a string');
    }
    if (params.arguments !== undefined && !isJsonObject(params.arguments)) {
      return await this.#refuse(
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
      this.#sendSoon(notificationMessage("notifications/progress", { progressToken: token, ...progress }));
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
      this.#answer(request, toolErrorMessage(request.id, `### Error\n${messageOf(error)}`), "unavailable");
    }
  }

  async #callLocal(pending: PendingRequest, tool: LocalTool): Promise<void> {
    try {
      this.#answer(pending, resultMessage(pending.id, reportResult(await tool.report())));
    } catch (error) {
      this.#answer(pending, toolErrorMessage(pending.id, `### Error\n${messageOf(error)}`), "tool_error");
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
    this.#settle(request);
    this.#waiting = this.#waiting.filter((waiting) => waiting.request !== request);
    return request.generation === undefined;
  }

  async #clientResponse(id: JsonRpcId, bytes: Uint8Array): Promise<void> {
    const request = this.#upstreamRequests.close(id);
    const generation = this.supervisor.ready;
    if (request === undefined || generation?.number !== request.generation) {
      this.#options.log.debug("dropped an answer that no upstream waits for", { id });
      return;
    }
    const value = JSON.parse(new TextDecoder().decode(bytes)) as JsonRpcMessage;
    await generation.send(encodeMessage({ ...value, id: request.originalId }));
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
      this.#answer(asked, outcome);
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
    if (changed) this.#sendSoon(notificationMessage("notifications/tools/list_changed"));
  }

  async #fromUpstream(generation: Generation, frame: UpstreamFrame): Promise<void> {
    const { bytes, envelope } = frame;
    if (this.#options.embedded && envelope.kind === "notification" && envelope.method === CHILD_NOTICE) {
      return this.#browser.childSays(generation.number, readNotice(bytes));
    }
    this.#options.onTraffic(bytes.length);
    this.#options.observer?.message("from_upstream", bytes.length);
    switch (envelope.kind) {
      case "response":
        return await this.#upstreamResponse(envelope.id, envelope.failed, bytes);
      case "request": {
        const id = this.#upstreamRequests.open(generation.number, envelope.id);
        return await this.#send(envelope.idSpan === undefined ? bytes : withId(bytes, envelope.idSpan, id));
      }
      case "notification":
        return await this.#send(
          envelope.method === "notifications/cancelled" ? this.#stampCancelled(generation, bytes) : bytes,
        );
    }
  }

  async #upstreamResponse(id: JsonRpcId | null, failed: boolean, bytes: Uint8Array): Promise<void> {
    const request = id === null ? undefined : this.#pending.get(id);
    if (request === undefined) {
      this.#options.log.debug("dropped an answer that no client waits for", { id });
      return;
    }
    const counted = request.tool !== undefined && this.#options.observer !== undefined;
    this.#settle(request, failed ? "error" : "answered", counted ? outcomeOf(failed, bytes) : "ok");
    if (request.tool !== undefined) {
      const added = this.#browser.callEnded(request);
      return await this.#send(withContent(explainLaunchFailure(bytes), added));
    }
    if (request.method !== "tools/list" || failed) return await this.#send(bytes);
    const value = JSON.parse(new TextDecoder().decode(bytes)) as JsonRpcMessage;
    if (!isJsonObject(value.result)) return await this.#send(bytes);
    const page = this.tools.take(request.cursor, value.result);
    await this.#send(request.cursor === undefined ? encodeMessage({ ...value, result: page }) : bytes);
  }

  /** Upstream cancels a request of its own: the client knows it by another id. */
  #stampCancelled(generation: Generation, bytes: Uint8Array): Uint8Array {
    const value = JSON.parse(new TextDecoder().decode(bytes)) as JsonRpcMessage;
    if (!isJsonObject(value.params)) return bytes;
    const { requestId } = value.params;
    if (typeof requestId !== "string" && typeof requestId !== "number") return bytes;
    const stamped = stampedId(generation.number, requestId);
    this.#upstreamRequests.close(stamped);
    return encodeMessage({ ...value, params: { ...value.params, requestId: stamped } });
  }

  #onLost(number: number, loss: Loss): void {
    this.#lastLoss = loss;
    this.#options.preparer?.lost(number);
    for (const requestId of this.#upstreamRequests.abandon(number)) {
      this.#sendSoon(
        notificationMessage("notifications/cancelled", { requestId, reason: `The upstream ${loss.reason}` }),
      );
    }
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
    const reached = request.generation !== undefined;
    const answer = request.tool === undefined
      ? errorMessage(request.id, {
        code: RPC_CODE.serverError,
        message: lossTextForRequest(request.method, loss),
      })
      : toolErrorMessage(request.id, lossText(request.tool, reached, loss));
    this.#answer(request, answer, "lost");
  }

  /**
   * No upstream is there. Only who needs the tools, and has never seen them, is worth a start.
   *
   * @returns false where the request has to wait for the upstream that was started
   */
  #answerWithoutUpstream(request: PendingRequest): boolean {
    if (request.method === "ping") {
      this.#answer(request, resultMessage(request.id, {}));
      return true;
    }
    if (request.method === "tools/list") {
      const page = this.tools.recall(request.cursor);
      if (page !== undefined) this.#answer(request, resultMessage(request.id, page));
      else this.supervisor.start();
      return page !== undefined;
    }
    this.#answerLost(request, this.#lastLoss ?? { reason: "was not started", lastWords: "" });
    return true;
  }

  #answer(request: PendingRequest, bytes: Uint8Array, outcome: CallOutcome = "ok"): void {
    if (!this.#pending.holds(request)) return;
    this.#settle(request, "bridge", outcome);
    this.#sendSoon(bytes);
  }

  #settle(request: PendingRequest, answeredBy = "cancelled", outcome: CallOutcome = "cancelled"): void {
    this.#pending.settle(request);
    if (request.tool !== undefined) {
      const ms = performance.now() - request.since;
      this.#options.log.info("tool call", {
        tool: request.tool,
        outcome: answeredBy,
        duration_ms: Math.round(ms),
      });
      this.#options.observer?.callEnded({ tool: this.tools.listed(request.tool), outcome, ms });
    }
  }

  async #refuse({ id, method, params }: ClientRequest, code: number, message: string): Promise<void> {
    if (method === "tools/call") {
      const name = isJsonObject(params) ? params.name : undefined;
      this.#options.observer?.callEnded({ tool: this.tools.listed(name), outcome: "refused", ms: 0 });
    }
    await this.#send(errorMessage(id, { code, message }));
  }

  #send(bytes: Uint8Array): Promise<void> {
    return this.#options.client.send(bytes);
  }

  /** For what is said outside the flow of one side: the client's port keeps the order and never rejects. */
  #sendSoon(bytes: Uint8Array): void {
    void this.#send(bytes);
  }
}

function progressTokenOf(params: JsonObject): unknown {
  return isJsonObject(params._meta) ? params._meta.progressToken : undefined;
}
