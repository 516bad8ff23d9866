import { AppError } from "../errors.ts";
import { withoutCredentials } from "./credentials.ts";

/**
 * Why there is no browser: `unavailable` is the network or the platform, which another browser can make up for;
 * `unverified` is a file that may have been tampered with; `other` is the machine or the licence.
 */
export type FailureKind = "unavailable" | "unverified" | "other";

/** What was tried, for the message. */
export interface DownloadAttempt {
  readonly version: string | undefined;
  readonly platform: string;
  readonly hosts: readonly string[];
}

/**
 * Whatever speaks of a signature or a checksum counts as such, even a missing one: a download that cannot be
 * checked is never made up for in silence.
 */
const UNVERIFIED = /BinaryVerificationError|signature|\bsigned\b|checksum|SHA256SUMS|authenticity|tamper/i;

/** Looks like a network fault in part, and is none. */
const NOT_THE_NETWORK = /licen[cs]e key is invalid|zlib|TAR_/i;

const UNAVAILABLE = [
  /Download failed: (HTTP|empty)/,
  /no data came|was interrupted/,
  /server unreachable|could not determine latest/i,
  /Unsupported platform|only available for/i,
  /fetch failed|error sending request|error reading a body|body error|client error/i,
  /connection|connect error|network|dns|certificate|timed? ?out|abort|EOF|end of file/i,
  /\bE(CONN\w+|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)\b/,
];

export function classifyFailure(error: unknown): FailureKind {
  const text = wholeMessage(error);
  if (UNVERIFIED.test(text)) return "unverified";
  if (NOT_THE_NETWORK.test(text)) return "other";
  return UNAVAILABLE.some((pattern) => pattern.test(text)) ? "unavailable" : "other";
}

const REMEDIES: Readonly<Record<FailureKind, string>> = {
  unavailable: "Check the network, and behind a proxy HTTPS_PROXY and NO_PROXY; then call again",
  unverified:
    "The file was thrown away. Check the proxy or mirror that the download came through; then call again",
  other:
    "Check that the cache directory (CLOAKBROWSER_CACHE_DIR) can be written and has room; then call again",
};

/** Whole as sent, and yet of no use. */
const BAD_ARCHIVE = /TAR_|zlib|the archive holds|binary not found/;

const BAD_ARCHIVE_REMEDY =
  "What came is no CloakBrowser for this machine: check the mirror (--download-url), or what stands between; then call again";

const ALTERNATIVES =
  `"cloakbrowser-mcp install" downloads ahead of time, --binary-path names a browser that is ` +
  "already here, and --browser-engine playwright with --executable-path runs another one";

/** The error that a failed download is reported with. */
export function downloadError(attempt: DownloadAttempt, cause: unknown): AppError {
  const kind = classifyFailure(cause);
  const what = `CloakBrowser${
    attempt.version === undefined ? "" : ` ${attempt.version}`
  } for ${attempt.platform}`;
  const from = attempt.hosts.length === 0 ? "" : ` from ${attempt.hosts.join(" and ")}`;
  const text = withoutCredentials(wholeMessage(cause));
  const message = kind === "unverified"
    ? `Refused to use ${what}${from}, because its authenticity could not be verified: ${text}`
    : `Cannot get ${what}${from}: ${text}`;
  const remedy = kind === "other" && BAD_ARCHIVE.test(text) ? BAD_ARCHIVE_REMEDY : REMEDIES[kind];
  return new AppError("browser_unavailable", message, {
    remedy: `${remedy}. ${ALTERNATIVES}`,
    cause,
  });
}

/** Messages of an error and its causes on one line; the name only where it is not a general one. */
function wholeMessage(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current !== undefined && current !== null && parts.length < 5;) {
    const text = current instanceof Error ? namedMessage(current) : String(current);
    if (!parts.some((part) => part.includes(text))) parts.push(text);
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join(": ").replace(/\s+/g, " ").trim().replace(/\.$/, "");
}

function namedMessage(error: Error): string {
  return /^(Type)?Error$/.test(error.name) ? error.message : `${error.name}: ${error.message}`;
}
