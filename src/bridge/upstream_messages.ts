/**
 * The way of a message from a generation to the client: answers to the client's requests, and upstream's own requests
 * and notifications, with the client's answers to those on their way back.
 */
import { withId } from "../protocol/envelope.ts";
import { isJsonObject, type JsonRpcId, type JsonRpcMessage } from "../protocol/json_rpc.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Generation, Loss, UpstreamFrame } from "../upstream/generation.ts";
import { withContent } from "./added_content.ts";
import type { Answers } from "./answers.ts";
import type { BrowserCalls } from "./browser_calls.ts";
import { encodeMessage, notificationMessage } from "./client_port.ts";
import { explainLaunchFailure, type MissingLibraries } from "./launch_failure.ts";
import type { ToolList } from "./tool_list.ts";
import { stampedId, UpstreamRequests } from "./upstream_requests.ts";

export interface UpstreamMessagesOptions {
  readonly answers: Answers;
  readonly browser: BrowserCalls;
  readonly tools: ToolList;
  readonly missingLibraries: MissingLibraries;
  readonly log: Logger;
}

export class UpstreamMessages {
  readonly #options: UpstreamMessagesOptions;
  readonly #requests = new UpstreamRequests();

  constructor(options: UpstreamMessagesOptions) {
    this.#options = options;
  }

  /** Takes one message of a generation. Resolves when the next may follow. */
  async take(generation: number, { bytes, envelope }: UpstreamFrame): Promise<void> {
    const { answers } = this.#options;
    switch (envelope.kind) {
      case "response":
        return await this.#response(envelope.id, envelope.failed, bytes);
      case "request": {
        const id = this.#requests.open(generation, envelope.id);
        return await answers.send(envelope.idSpan === undefined ? bytes : withId(bytes, envelope.idSpan, id));
      }
      case "notification":
        return await answers.send(
          envelope.method === "notifications/cancelled" ? this.#stampCancelled(generation, bytes) : bytes,
        );
    }
  }

  /** The client answers a request of upstream's. */
  async answer(id: JsonRpcId, bytes: Uint8Array, generation: Generation | undefined): Promise<void> {
    const request = this.#requests.close(id);
    if (request === undefined || generation?.number !== request.generation) {
      this.#options.log.debug("dropped an answer that no upstream waits for", { id });
      return;
    }
    await generation.send(encodeMessage({ ...parse(bytes), id: request.originalId }));
  }

  /** A generation is gone: nobody waits for the client's answers to its requests. */
  abandon(generation: number, loss: Loss): void {
    const reason = `The upstream ${loss.reason}`;
    for (const requestId of this.#requests.abandon(generation)) {
      this.#options.answers.sendSoon(notificationMessage("notifications/cancelled", { requestId, reason }));
    }
  }

  async #response(id: JsonRpcId | null, failed: boolean, bytes: Uint8Array): Promise<void> {
    const { answers, browser, missingLibraries, log } = this.#options;
    const request = id === null ? undefined : answers.pending.get(id);
    if (request === undefined) {
      log.debug("dropped an answer that no client waits for", { id });
      return;
    }
    answers.arrived(request, failed, bytes);
    if (request.tool !== undefined) {
      const added = browser.callEnded(request);
      return await answers.send(withContent(await explainLaunchFailure(bytes, missingLibraries), added));
    }
    const listed = request.method === "tools/list" && !failed;
    await answers.send(listed ? this.#toolPage(request.cursor, bytes) : bytes);
  }

  /** The first page is made anew, with the bridge's own tools; the others pass as they are. */
  #toolPage(cursor: string | undefined, bytes: Uint8Array): Uint8Array {
    const value = parse(bytes);
    if (!isJsonObject(value.result)) return bytes;
    const page = this.#options.tools.take(cursor, value.result);
    return cursor === undefined ? encodeMessage({ ...value, result: page }) : bytes;
  }

  /** Upstream cancels a request of its own: the client knows it by another id. */
  #stampCancelled(generation: number, bytes: Uint8Array): Uint8Array {
    const value = parse(bytes);
    if (!isJsonObject(value.params)) return bytes;
    const { requestId } = value.params;
    if (typeof requestId !== "string" && typeof requestId !== "number") return bytes;
    const stamped = stampedId(generation, requestId);
    this.#requests.close(stamped);
    return encodeMessage({ ...value, params: { ...value.params, requestId: stamped } });
  }
}

/** Of bytes whose envelope has been read already. */
function parse(bytes: Uint8Array): JsonRpcMessage {
  return JSON.parse(new TextDecoder().decode(bytes)) as JsonRpcMessage;
}
