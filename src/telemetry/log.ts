/**
 * Structured log to one sink. In stdio mode standard output belongs to MCP, so the sink is standard error.
 */

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Values that a line carries beside its message. Undefined fields are left out. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Logger {
  trace(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  fatal(message: string, fields?: LogFields): void;
  /** Whether a line of this level would be written, for fields that are costly to make. */
  enabled(level: LogLevel): boolean;
  /** A logger whose lines carry these fields as well. */
  with(fields: LogFields): Logger;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Takes one line, without its newline. Must not throw. */
  readonly write: (line: string) => void;
  readonly now?: () => Date;
}

/** Makes a logger; nothing below `level` reaches `write`. */
export function createLogger(options: LogOptions, bound: LogFields = {}): Logger {
  const threshold = LOG_LEVELS.indexOf(options.level);
  const now = options.now ?? (() => new Date());
  const render = options.format === "json" ? renderJson : renderText;
  const at = (level: LogLevel) => {
    const rank = LOG_LEVELS.indexOf(level);
    return (message: string, fields: LogFields = {}): void => {
      if (rank < threshold) return;
      options.write(render(now(), level, message, { ...bound, ...fields }));
    };
  };
  return {
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    fatal: at("fatal"),
    enabled: (level) => LOG_LEVELS.indexOf(level) >= threshold,
    with: (fields) => createLogger(options, { ...bound, ...fields }),
  };
}

function renderText(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ` ${key}=${quoteWhereNeeded(String(value))}`);
  const line = message.replace(/[\r\n]+/g, " ");
  return `${time.toISOString()} ${level.toUpperCase()} cloakbrowser-mcp ${line}${pairs.join("")}`;
}

function renderJson(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  return JSON.stringify({ time: time.toISOString(), level, message, ...fields });
}

function quoteWhereNeeded(value: string): string {
  return value === "" || /[\s="\p{Cc}]/u.test(value) ? JSON.stringify(value) : value;
}
