/**
 * `GET /healthz` tells that the process answers, `GET /readyz` whether a new session would find a place, `GET /metrics`
 * what has happened so far.
 */
import { type Refusal, RefusalResponse } from "./refusal.ts";
import type { Sessions } from "./sessions.ts";

export interface ProbeOptions {
  readonly version: string;
  readonly sessions: Sessions;
  /** Milliseconds since the server started. */
  readonly uptimeMs: () => number;
}

const TRANSPORT = "streamable-http";

export function healthResponse({ version, uptimeMs }: ProbeOptions): Response {
  return probeResponse(200, {
    status: "ok",
    version,
    transport: TRANSPORT,
    uptimeMs: Math.round(uptimeMs()),
  });
}

export function readinessResponse({ version, uptimeMs, sessions }: ProbeOptions): Response {
  sessions.expire();
  const occupancy = sessions.occupancy();
  const ready = !sessions.draining && occupancy.available > 0;
  return probeResponse(ready ? 200 : 503, {
    status: ready ? "ready" : "not_ready",
    version,
    transport: TRANSPORT,
    uptimeMs: Math.round(uptimeMs()),
    sessions: sessions.draining ? { ...occupancy, available: 0 } : occupancy,
  });
}

/** Refusals of probes carry a word where those of the endpoint carry a JSON-RPC error. */
export function probeRefusal({ reason, status, headers }: Refusal): RefusalResponse {
  const word = status === 401 ? "unauthorized" : "method_not_allowed";
  return new RefusalResponse(reason, JSON.stringify({ status: word }), {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers },
  });
}

/** @param exposition the metrics as a scraper reads them, and the type of that text */
export function metricsResponse(
  exposition: { readonly text: string; readonly contentType: string },
): Response {
  return new Response(exposition.text, {
    headers: { "Content-Type": exposition.contentType, "Cache-Control": "no-store" },
  });
}

function probeResponse(status: number, body: unknown): Response {
  return Response.json(body, {
    status,
    headers: { "Cache-Control": "no-store" },
  });
}
