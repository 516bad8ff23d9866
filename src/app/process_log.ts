/**
 * The log of this process, on standard error, and what must never end it.
 */
import { messageOf } from "../errors.ts";
import { settlesWithin } from "../platform/deadline.ts";
import { secretValues, upstreamSecrets } from "../settings/secrets.ts";
import type { Settings } from "../settings/settings.ts";
import { sendConsoleToLog } from "../telemetry/console_capture.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { createRedactor } from "../telemetry/redact.ts";
import { createStderrSink } from "../telemetry/stderr_sink.ts";

export interface ProcessLog {
  readonly log: Logger;
  readonly redact: (text: string) => string;
  /** Waits, but not long, for the last lines to leave. */
  flush(): Promise<void>;
}

/** How long the last log lines may take to leave when nobody reads them. */
const LAST_LINES_MS = 200;

/** Opens the log and takes over the console and unhandled faults of the process. */
export function openProcessLog(
  settings: Settings,
  notices: readonly string[],
  env: Readonly<Record<string, string>>,
): ProcessLog {
  const redact = createRedactor([...secretValues(settings), ...upstreamSecrets(settings, env)]);
  const stderr = createStderrSink((bytes) => Deno.stderr.write(bytes));
  const log = createLogger({
    level: settings.logLevel,
    format: settings.logFormat,
    write: (line) => stderr.write(redact(line)),
  });
  sendConsoleToLog(log);
  surviveRejections(log);
  for (const notice of notices) log.warn(notice);
  return {
    log,
    redact,
    async flush(): Promise<void> {
      await settlesWithin(stderr.flushed(), LAST_LINES_MS);
    },
  };
}

/** A forgotten promise is a bug to be logged, not a reason to drop a live browser. */
function surviveRejections(log: Logger): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log.error("unhandled rejection", { cause: messageOf(event.reason) });
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log.error("uncaught error", { cause: messageOf(event.error) });
  });
}
