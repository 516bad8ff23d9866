/** Switches on DevTools in the browser of a session that wants a CDP address. */
import { conflictingDebuggingArgument } from "../browser/debugging_arguments.ts";
import { upstreamChoice } from "../browser/upstream_choice.ts";
import { type JsonObject, valueAt } from "../browser/upstream_option.ts";
import { AppError } from "../errors.ts";
import { cdpEnabledProblems } from "../settings/cdp_rules.ts";
import type { Configuration } from "../settings/session_options.ts";
import type { Settings } from "../settings/settings.ts";

/** Chromium chooses a free port and writes it into its profile. */
const DEBUGGING_ARGUMENT = "--remote-debugging-port=0";

/**
 * The session's settings with DevTools on; the same where it wants no CDP.
 *
 * @param config the user's configuration of upstream
 * @throws {AppError} `usage` where something that the user has set leaves no browser or no port of ours
 */
export function withDevTools(configuration: Configuration, config: JsonObject): Settings {
  const { settings, origins, env } = configuration;
  if (!settings.cdpEnabled) return settings;
  const problems = cdpEnabledProblems(settings, origins);
  const choice = upstreamChoice({ upstreamArgs: settings.upstreamArgs, env, config });
  if (choice?.kind === "attach" || choice?.kind === "other_browser") {
    problems.push(`Managed CDP conflicts with ${choice.origin}: it needs a Chromium that is started here`);
  }
  const theirs = valueAt(config, "browser.launchOptions.args");
  const conflict = conflictingDebuggingArgument([
    ...settings.extraArgs,
    ...(Array.isArray(theirs) ? theirs.map(String) : []),
  ]);
  if (conflict !== undefined) problems.push(`Managed CDP conflicts with ${conflict}. Leave one of them out`);
  if (problems.length > 0) throw new AppError("usage", problems.join("\n"));
  return { ...settings, extraArgs: [...settings.extraArgs, DEBUGGING_ARGUMENT] };
}
