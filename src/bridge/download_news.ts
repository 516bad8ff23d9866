/** What has become of downloads since the last result: the agent learns of it with the next one. */

import { pathToFileURL } from "node:url";
import { basename } from "node:path";
import type { DownloadNotice } from "../upstream/child_notice.ts";
import { type ContentBlock, textBlock } from "./added_content.ts";

/** A page can download without end while nobody asks for anything. */
const KEPT = 50;

/** Links to resources came with this revision of MCP. */
const LINKS_SINCE = "2025-06-18";

export class DownloadNews {
  #kept: DownloadNotice[] = [];
  #dropped = 0;

  add(notice: DownloadNotice): void {
    if (this.#kept.length < KEPT) this.#kept.push(notice);
    else this.#dropped++;
  }

  /**
   * All of it, once.
   *
   * @param protocolVersion that was agreed upon with the client
   */
  take(protocolVersion: string | undefined): ContentBlock[] {
    if (this.#kept.length === 0) return [];
    const blocks = this.#kept.flatMap((notice) => blocksOf(notice, protocolVersion));
    if (this.#dropped > 0) blocks.push(textBlock(`### Note\n${this.#dropped} more downloads have ended.`));
    this.#kept = [];
    this.#dropped = 0;
    return blocks;
  }
}

/** Of a saved file upstream has told already, in words. */
function blocksOf(notice: DownloadNotice, protocolVersion: string | undefined): ContentBlock[] {
  if (notice.outcome !== "saved") return [textBlock(`### Note\n${sentence(notice)}`)];
  if (protocolVersion === undefined || protocolVersion < LINKS_SINCE) return [];
  const { path, bytes } = notice;
  return [{ type: "resource_link", uri: pathToFileURL(path).href, name: basename(path), size: bytes }];
}

function sentence(notice: DownloadNotice): string {
  const name = JSON.stringify(notice.name);
  switch (notice.outcome) {
    case "saved":
      return `${name} was downloaded.`;
    case "refused":
      return `The download of ${name} was refused: this server takes no files (--downloads deny). Do not try it again.`;
    case "too_large":
      return `The download of ${name} was stopped and nothing of it kept: the files of this session would take more ` +
        `than the ${notice.maxBytes} bytes of --download-max-bytes.`;
    case "failed":
      return `The download of ${name} failed: ${notice.reason}`;
  }
}
