import type { ResolvedSettings } from "../../settings/settings.ts";
import { secretValues } from "../../settings/secrets.ts";
import { createLogger, type Logger } from "../../telemetry/log.ts";
import { createRedactor } from "../../telemetry/redact.ts";

export interface CommandOutput {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/**
 * The log of a command that tells its own story on standard error: by default errors only, since what the package
 * says would appear twice as a warning.
 */
export function commandLog({ settings, origins }: ResolvedSettings, output: CommandOutput): Logger {
  const redact = createRedactor(secretValues(settings));
  return createLogger({
    level: origins.logLevel.kind === "default" ? "error" : settings.logLevel,
    format: settings.logFormat,
    write: (line) => output.stderr(`${redact(line)}\n`),
  });
}
