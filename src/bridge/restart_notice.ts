/**
 * What the first result of a new browser tells the agent: that this is not the browser it had before. Without it the
 * agent would look for its pages, and find an error about an element that it has just seen.
 */
import { encodeMessage } from "./client_port.ts";
import { isJsonObject, type JsonRpcMessage } from "../protocol/json_rpc.ts";

/** @param why the end of "The browser was started anew before this call: …" */
export function restartNotice(why: string): string {
  return `### Note\nThe browser was started anew before this call: ${why}. Pages that were open, and whatever was ` +
    "typed or chosen in them, are gone; cookies and storage stay only in a profile that is kept. Navigate again to what you need.";
}

/** A tool result with one more text behind its content; any other answer as it is. */
export function withNotice(bytes: Uint8Array, text: string): Uint8Array {
  const value = JSON.parse(new TextDecoder().decode(bytes)) as JsonRpcMessage;
  if (!isJsonObject(value.result) || !Array.isArray(value.result.content)) return bytes;
  const content = [...value.result.content, { type: "text", text }];
  return encodeMessage({ ...value, result: { ...value.result, content } });
}
