/**
 * What one server counts, as Prometheus reads it. Every label has its values from a closed set; the one that has not,
 * the tool, is bounded here.
 */
import { Counter, Gauge, Histogram, prometheusContentType, Registry } from "prom-client";
import {
  DIRECTIONS,
  type EndedCall,
  RESTART_REASONS,
  type TrafficObserver,
} from "../bridge/traffic_observer.ts";
import type { Route } from "./guards/path.ts";
import { REFUSAL_REASONS, type RefusalReason } from "./refusal.ts";
import { SESSION_ENDS, type SessionObserver } from "./sessions.ts";

export interface MetricsOptions {
  readonly version: string;
  readonly upstreamVersion: string;
  readonly denoVersion: string;
  /** When the process started, in milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly residentBytes: () => number;
}

/** States of sessions that count; one that is gone does not. */
const SESSION_STATES = ["reserved", "active", "draining"] as const;

/** What an upstream process is there for. */
const UPSTREAM_USES = ["session", "spare"] as const;

/** What is read at each scrape. */
export interface Observed {
  readonly sessionLimit: number;
  readonly sessions: (state: (typeof SESSION_STATES)[number]) => number;
  readonly upstreams: (use: (typeof UPSTREAM_USES)[number]) => number;
}

export interface Metrics extends TrafficObserver, SessionObserver {
  /** Names what the gauges show; before, they show nothing. */
  watch(observed: Observed): void;
  /** @param route undefined where the path leads nowhere */
  answered(method: string, route: Route | undefined, status: number): void;
  refused(reason: RefusalReason): void;
  exposition(): Promise<{ readonly text: string; readonly contentType: string }>;
}

const PREFIX = "cloakbrowser_mcp_";

/** From a call that the bridge answers itself to a page that loads until it times out, in seconds. */
const CALL_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Upstream has some sixty tools with all capabilities on; one that lists thousands gets no series for each. */
const MAX_TOOLS = 100;

/** Names of tools as the protocol wants them (MCP 2025-11-25, "Tools", tool names); others get no series. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Stands for what is not in the set of a label. */
const OTHER = "other";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "DELETE", "OPTIONS"]);

/** Metrics in a registry of their own, so that several servers in one process do not mix. */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> =>
    new Counter({ name: PREFIX + name, help, labelNames, registers });
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    collect?: (this: Gauge<Label>) => void,
  ): Gauge<Label> =>
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames,
      registers,
      ...(collect === undefined ? {} : { collect }),
    });

  const calls = counter("tool_calls_total", "Tool calls that have ended.", ["tool", "outcome"]);
  const durations = new Histogram({
    name: `${PREFIX}tool_call_duration_seconds`,
    help: "Time from the arrival of a tool call to its answer; calls that were refused are not in it.",
    labelNames: ["tool"],
    buckets: CALL_BUCKETS,
    registers,
  });
  const opened = counter("sessions_opened_total", "Sessions that were opened.", []);
  const closed = counter("sessions_closed_total", "Sessions that have ended, by why.", ["reason"]);
  const restarts = counter("upstream_restarts_total", "Replacements of upstreams, by why.", ["reason"]);
  const bytes = counter("message_bytes_total", "Bytes of MCP messages, by where they came from.", [
    "direction",
  ]);
  const refusals = counter("http_refusals_total", "HTTP requests that were turned away, by why.", ["reason"]);
  const requests = counter("http_requests_total", "HTTP requests that were answered.", [
    "method",
    "route",
    "status",
  ]);

  let observed: Observed | undefined;
  gauge("sessions", "Sessions at present, by state.", ["state"], function (): void {
    for (const state of SESSION_STATES) this.set({ state }, observed?.sessions(state) ?? 0);
  });
  gauge("sessions_limit", "Most sessions at a time.", [], function (): void {
    this.set(observed?.sessionLimit ?? 0);
  });
  gauge(
    "upstreams",
    "Upstream processes at present, by what they are there for.",
    ["use"],
    function (): void {
      for (const use of UPSTREAM_USES) this.set({ use }, observed?.upstreams(use) ?? 0);
    },
  );
  const build = gauge("build_info", "Versions of this server; always 1.", [
    "version",
    "upstream_version",
    "deno_version",
  ]);
  build.set({
    version: options.version,
    upstream_version: options.upstreamVersion,
    deno_version: options.denoVersion,
  }, 1);
  gauge("process_start_time_seconds", "When the process started, in seconds since 1970.", [])
    .set(options.startedAtMs / 1000);
  gauge(
    "process_resident_memory_bytes",
    "Resident memory of this process, without upstreams and browsers.",
    [],
    function (): void {
      this.set(options.residentBytes());
    },
  );
  // A series that begins at 0 shows its first event as a rise; one that begins at 1 does not.
  for (const reason of SESSION_ENDS) closed.inc({ reason }, 0);
  for (const reason of RESTART_REASONS) restarts.inc({ reason }, 0);
  for (const reason of REFUSAL_REASONS) refusals.inc({ reason }, 0);
  for (const direction of DIRECTIONS) bytes.inc({ direction }, 0);

  const tools = new Set<string>();
  const toolLabel = (name: string | undefined): string => {
    if (name === undefined || !TOOL_NAME.test(name)) return OTHER;
    if (!tools.has(name) && tools.size >= MAX_TOOLS) return OTHER;
    tools.add(name);
    return name;
  };

  return {
    watch(what): void {
      observed = what;
    },
    message: (direction, count) => bytes.inc({ direction }, count),
    callEnded({ tool, outcome, ms }: EndedCall): void {
      const label = toolLabel(tool);
      calls.inc({ tool: label, outcome });
      if (outcome !== "refused") durations.observe({ tool: label }, ms / 1000);
    },
    restarted: (reason) => restarts.inc({ reason }),
    sessionOpened: () => opened.inc(),
    sessionClosed: (reason) => closed.inc({ reason }),
    answered(method, route, status): void {
      requests.inc({
        method: METHODS.has(method) ? method : OTHER,
        route: route ?? OTHER,
        status: `${Math.floor(status / 100)}xx`,
      });
    },
    refused: (reason) => refusals.inc({ reason }),
    exposition: async () => ({ text: await registry.metrics(), contentType: prometheusContentType }),
  };
}
