/**
 * What the child tells the bridge beside the messages of upstream: notifications on its standard output, so that each
 * keeps its place among the answers. The bridge takes them out again.
 */

/** JSON-RPC method of such a notification. */
export const CHILD_NOTICE = "notifications/cloakbrowser-mcp/child";

/** How a download ended. */
export type DownloadEnd =
  /** It lies at `path`. */
  | { readonly outcome: "saved"; readonly path: string; readonly bytes: number }
  /** No downloads are taken. */
  | { readonly outcome: "refused" }
  /** Its directory would hold more than `maxBytes`. */
  | { readonly outcome: "too_large"; readonly maxBytes: number }
  | { readonly outcome: "failed"; readonly reason: string };

export type DownloadNotice = { readonly kind: "download"; readonly name: string } & DownloadEnd;

export type ChildNotice =
  /** For the log of the operator. */
  | { readonly kind: "warning"; readonly text: string }
  /** The browser of the child has gone, for whatever reason. */
  | { readonly kind: "browser_gone" }
  /** So many pages are open now. */
  | { readonly kind: "pages"; readonly open: number }
  | DownloadNotice;

/** The line that tells it. */
export function encodeNotice(notice: ChildNotice): string {
  return JSON.stringify({ jsonrpc: "2.0", method: CHILD_NOTICE, params: notice }) + "\n";
}

/** @param bytes of a notification whose method is {@link CHILD_NOTICE} */
export function readNotice(bytes: Uint8Array): ChildNotice {
  return JSON.parse(new TextDecoder().decode(bytes)).params;
}
