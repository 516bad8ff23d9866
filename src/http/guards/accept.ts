import { PASSED, refuse, type Verdict } from "../refusal.ts";

const JSON_TYPE = "application/json";
const EVENT_STREAM = "text/event-stream";

/**
 * A client names what it understands (MCP 2025-11-25, "Sending Messages to the Server"): for a POST both forms, because
 * the server chooses, for a GET the stream. Wildcards do not count; they are what programs send that know no MCP.
 */
export function checkAccept(request: Request): Verdict {
  const accepted = acceptedTypes(request.headers.get("accept") ?? "");
  if (request.method === "POST" && !(accepted.has(JSON_TYPE) && accepted.has(EVENT_STREAM))) {
    return refuse(406, "accept", `Not Acceptable: Client must accept both ${JSON_TYPE} and ${EVENT_STREAM}`);
  }
  if (request.method === "GET" && !accepted.has(EVENT_STREAM)) {
    return refuse(406, "accept", `Not Acceptable: Client must accept ${EVENT_STREAM}`);
  }
  return PASSED;
}

function acceptedTypes(header: string): ReadonlySet<string> {
  const types = new Set<string>();
  for (const item of header.toLowerCase().split(",")) {
    const [type = "", ...parameters] = item.split(";").map((part) => part.trim());
    // Weight 0 means "not this one" (RFC 9110, section 12.4.2).
    if (!parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter))) types.add(type);
  }
  return types;
}
