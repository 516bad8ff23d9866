/** What the bridge has to tell an agent goes behind the content of a tool result that upstream has made. */

import { isJsonObject, type JsonObject, type JsonRpcMessage } from "../protocol/json_rpc.ts";
import { encodeMessage } from "./client_port.ts";

/** A content block of a tool result, MCP 2025-11-25, `ContentBlock`. */
export type ContentBlock = JsonObject & { readonly type: string };

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** A tool result with more blocks behind its content; any other answer as it is. */
export function withContent(bytes: Uint8Array, blocks: readonly ContentBlock[]): Uint8Array {
  if (blocks.length === 0) return bytes;
  const value = JSON.parse(new TextDecoder().decode(bytes)) as JsonRpcMessage;
  if (!isJsonObject(value.result) || !Array.isArray(value.result.content)) return bytes;
  return encodeMessage({
    ...value,
    result: { ...value.result, content: [...value.result.content, ...blocks] },
  });
}
