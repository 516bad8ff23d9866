/**
 * The messages that one POST brings: one, or, in MCP 2025-03-26, several in a batch (JSON-RPC 2.0, section 6).
 */
import { type ClientMessage, readClientMessage } from "../bridge/client_message.ts";
import { RPC_CODE } from "../protocol/json_rpc.ts";
import { refuse, type Verdict } from "./refusal.ts";

export interface Posted {
  /** The message on one line. */
  readonly bytes: Uint8Array;
  readonly value: unknown;
  readonly message: ClientMessage;
}

/** The one revision of MCP that has batches; 2025-06-18 took them out again. */
const BATCH_VERSION = "2025-03-26";

/** Each request of a batch may run at the same time as the others. */
const MAX_BATCH = 100;

const encoder = new TextEncoder();

export function readPosted({ bytes, value }: Pick<Posted, "bytes" | "value">): Posted {
  return { bytes, value, message: readClientMessage(bytes) };
}

/** @param negotiated the session's revision of MCP, once it is known */
export function readBatch(
  items: readonly unknown[],
  negotiated: string | undefined,
): Verdict<{ readonly messages: readonly Posted[] }> {
  const refusal = (message: string): ReturnType<typeof refuse> =>
    refuse(400, "message", `Invalid request: ${message}`, { code: RPC_CODE.invalidRequest });
  if (negotiated !== BATCH_VERSION) {
    return refusal(
      `batches exist in MCP ${BATCH_VERSION} only, and this session speaks ${negotiated ?? "another"}; ` +
        "send one by one",
    );
  }
  if (items.length === 0) return refusal("the batch is empty");
  if (items.length > MAX_BATCH) return refusal(`a batch may hold at most ${MAX_BATCH} messages`);
  const messages = items.map((value) => readPosted({ bytes: encoder.encode(JSON.stringify(value)), value }));
  const opens = messages.some(({ message }) => message.kind === "request" && message.method === "initialize");
  return opens ? refusal('"initialize" must stand alone') : { ok: true, messages };
}
