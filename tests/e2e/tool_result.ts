/** The result of a tool call as an agent reads it: a text in sections, and pictures. */
import assert from "node:assert/strict";
import type { Message } from "../harness/stdio_client.ts";

export class ToolResult {
  readonly isError: boolean;
  /** All texts, joined. */
  readonly text: string;
  readonly images: readonly { readonly mimeType: string; readonly bytes: Uint8Array }[];

  /** Links to resources. */
  readonly links: readonly { readonly uri: string; readonly name: string; readonly size: number }[];

  /** @param answer the whole JSON-RPC answer to `tools/call` */
  constructor(answer: Message) {
    assert.equal(answer.error, undefined, `JSON-RPC error ${JSON.stringify(answer.error)}`);
    const { content, isError = false } = answer.result;
    this.isError = isError;
    this.text = content.flatMap((part: Message) => part.type === "text" ? [part.text] : []).join("\n");
    this.links = content.filter((part: Message) => part.type === "resource_link");
    this.images = content.flatMap((part: Message) =>
      part.type === "image" ? [{ mimeType: part.mimeType, bytes: decodeBase64(part.data) }] : []
    );
  }

  /** Text below `### title`, empty where there is no such section. */
  section(title: string): string {
    const [, ...sections] = `\n${this.text}`.split("\n### ");
    const found = sections.find((section) => section.startsWith(`${title}\n`));
    return found === undefined ? "" : found.slice(title.length + 1).trim();
  }

  /** Path that a Markdown link with this text names. */
  link(text: string): string {
    const start = this.text.indexOf(`[${text}](`);
    assert.notEqual(start, -1, `no link "${text}" in:\n${this.text}`);
    const from = start + text.length + 3;
    return this.text.slice(from, this.text.indexOf(")", from));
  }
}

function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
