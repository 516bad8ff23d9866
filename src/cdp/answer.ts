/**
 * HTTP answers as bytes. Every one is the last of its connection and is kept by no cache, because it can hold an
 * address with the capability in it.
 */

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

export type AnswerKind = "json" | "text";

const CONTENT_TYPES: Readonly<Record<AnswerKind, string>> = {
  json: "application/json; charset=utf-8",
  text: "text/plain; charset=utf-8",
};

const encoder = new TextEncoder();

export interface AnswerOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** To a HEAD request: the body is left out, its length stays. */
  readonly headOnly?: boolean;
}

/** No `Date`, no name of the server: nothing that tells one refusal from another. */
export function answerBytes(
  status: number,
  kind: AnswerKind,
  body: Uint8Array | string,
  { headers = {}, headOnly = false }: AnswerOptions = {},
): Uint8Array {
  const content = typeof body === "string" ? encoder.encode(body) : body;
  const lines = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? ""}`,
    `Content-Type: ${CONTENT_TYPES[kind]}`,
    `Content-Length: ${content.length}`,
    "Cache-Control: no-store",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "Connection: close",
  ];
  const head = encoder.encode(`${lines.join("\r\n")}\r\n\r\n`);
  if (headOnly) return head;
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  return bytes;
}
