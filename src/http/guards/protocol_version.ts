import { PASSED, refuse, type Verdict } from "../refusal.ts";

/** Revisions of MCP that the HTTP transport knows how to carry. */
export const PROTOCOL_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/**
 * A client without the header speaks 2025-03-26 or what it has negotiated (MCP 2025-11-25, "Protocol Version Header").
 *
 * @param negotiated what upstream and client have agreed upon, which may be newer than what we know
 */
export function checkProtocolVersion(request: Request, negotiated?: string): Verdict {
  const version = request.headers.get("mcp-protocol-version");
  if (version === null || version === negotiated || PROTOCOL_VERSIONS.includes(version)) return PASSED;
  return refuse(
    400,
    "protocol_version",
    `Bad Request: Unsupported protocol version: ${version} (supported versions: ${
      PROTOCOL_VERSIONS.join(", ")
    })`,
  );
}
