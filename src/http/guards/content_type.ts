import { PASSED, refuse, type Verdict } from "../refusal.ts";

const JSON_TYPE = "application/json";

/** A body must be JSON as it is: a form could come from a page that asks nobody, a compressed one has no known size. */
export function checkContentType(request: Request): Verdict {
  const type = (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type !== JSON_TYPE) {
    return refuse(415, "content_type", `Unsupported Media Type: Content-Type must be ${JSON_TYPE}`);
  }
  const encoding = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "identity") return PASSED;
  return refuse(415, "content_type", "Unsupported Media Type: Content-Encoding must be identity", {
    headers: { "Accept-Encoding": "identity" },
  });
}
