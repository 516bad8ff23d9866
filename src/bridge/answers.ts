/**
 * What the client gets back for its requests: one answer each, from upstream, from the bridge, or an error that says
 * what was lost. Whoever counts and logs learns here how each call ended.
 */
import { isJsonObject, RPC_CODE } from "../protocol/json_rpc.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Loss } from "../upstream/generation.ts";
import type { ClientRequest } from "./client_message.ts";
import { type ClientPort, errorMessage, toolErrorMessage } from "./client_port.ts";
import { lossText, lossTextForRequest } from "./loss_text.ts";
import { type PendingRequest, PendingRequests } from "./pending_requests.ts";
import type { ToolList } from "./tool_list.ts";
import { outcomeOf } from "./tool_outcome.ts";
import type { CallOutcome, TrafficObserver } from "./traffic_observer.ts";

export interface AnswersOptions {
  readonly client: ClientPort;
  /** The tools that the client was told of: calls of any other are counted without a name. */
  readonly tools: ToolList;
  /** Told how calls end, where somebody counts. */
  readonly observer: TrafficObserver | undefined;
  readonly log: Logger;
}

export class Answers {
  readonly pending = new PendingRequests();
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Answers a pending request from here. One that is not pending any more gets nothing. */
  give(request: PendingRequest, bytes: Uint8Array, outcome: CallOutcome = "ok"): void {
    if (!this.pending.holds(request)) return;
    this.#settle(request, () => outcome);
    this.sendSoon(bytes);
  }

  /** Answers a pending tool call with a failure that its agent can act on. */
  giveToolError(request: PendingRequest, text: string, outcome: CallOutcome): void {
    this.give(request, toolErrorMessage(request.id, `### Error\n${text}`), outcome);
  }

  /** Answers a pending request that its upstream will not answer any more. */
  giveLost(request: PendingRequest, loss: Loss): void {
    const { id, method, tool, generation } = request;
    const answer = tool === undefined
      ? errorMessage(id, { code: RPC_CODE.serverError, message: lossTextForRequest(method, loss) })
      : toolErrorMessage(id, lossText(tool, generation !== undefined, loss));
    this.give(request, answer, "lost");
  }

  /** Answers a request that was never pending. Resolves when the next may follow. */
  async refuse({ id, method, params }: ClientRequest, code: number, message: string): Promise<void> {
    if (method === "tools/call") {
      const tool = this.#options.tools.listed(isJsonObject(params) ? params.name : undefined);
      this.#options.observer?.callEnded({ tool, outcome: "refused", ms: 0 });
    }
    await this.send(errorMessage(id, { code, message }));
  }

  /**
   * Upstream has answered a pending request; the answer is the caller's to send.
   *
   * @param failed whether the answer is a JSON-RPC error
   */
  arrived(request: PendingRequest, failed: boolean, bytes: Uint8Array): void {
    this.#settle(request, () => outcomeOf(failed, bytes));
  }

  /** The client has given a pending request up: no answer to it is sent any more. */
  cancelled(request: PendingRequest): void {
    this.#settle(request, () => "cancelled");
  }

  /** Sends a message to the client. Resolves when the next may follow. */
  send(bytes: Uint8Array): Promise<void> {
    return this.#options.client.send(bytes);
  }

  /** For what is said outside the flow of one side: the client's port keeps the order and never rejects. */
  sendSoon(bytes: Uint8Array): void {
    void this.send(bytes);
  }

  /** @param readOutcome called where somebody wants to know: it may have to look into a long answer */
  #settle(request: PendingRequest, readOutcome: () => CallOutcome): void {
    const { observer, log, tools } = this.#options;
    this.pending.settle(request);
    if (request.tool === undefined || (observer === undefined && !log.enabled("info"))) return;
    const outcome = readOutcome();
    const ms = performance.now() - request.since;
    log.info("tool call", { tool: request.tool, outcome, duration_ms: Math.round(ms) });
    observer?.callEnded({ tool: tools.listed(request.tool), outcome, ms });
  }
}
