import { PASSED, refuse, type Verdict } from "../refusal.ts";

/** Methods of the MCP endpoint. */
export const MCP_METHODS: readonly string[] = ["GET", "POST", "DELETE"];

/** Methods of the probes. */
export const PROBE_METHODS: readonly string[] = ["GET", "HEAD"];

/** The answer names the methods that there are (RFC 9110, section 15.5.6). */
export function checkMethod(request: Request, methods: readonly string[]): Verdict {
  if (methods.includes(request.method)) return PASSED;
  return refuse(405, "method", "Method not allowed.", { headers: { Allow: methods.join(", ") } });
}
