/**
 * Standard output belongs to MCP in stdio mode, and libraries that print do not know it.
 */
import type { Logger } from "./log.ts";

const METHODS = ["debug", "error", "info", "log", "trace", "warn"] as const;

/** From now on whatever anybody prints on the console goes to the log, at `debug`. */
export function sendConsoleToLog(log: Logger): void {
  for (const method of METHODS) {
    // deno-lint-ignore no-console -- this is where console output is taken away
    console[method] = (...values: unknown[]): void => {
      log.debug("console", { method, text: values.map((value) => textOf(value)).join(" ") });
    };
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : Deno.inspect(value);
}
