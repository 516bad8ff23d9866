/** Whether the unpacked extensions of a session can be loaded. */

import { AppError } from "../errors.ts";
import { extensionProblem } from "../settings/extension_directory.ts";
import type { Settings } from "../settings/settings.ts";
import { upstreamChoice } from "./upstream_choice.ts";
import { isSwitchedOn, upstreamOption, type UpstreamSources } from "./upstream_option.ts";

/** Chromium loads no extension into a profile that is kept in memory. */
const ISOLATED = { flag: "--isolated", env: "PLAYWRIGHT_MCP_ISOLATED", config: "browser.isolated" };

/**
 * @param sources with what the session's own profile has added to them
 * @throws {AppError} `usage`, with one line for each thing that is wrong
 */
export async function checkExtensions(
  settings: Pick<Settings, "extensionPaths">,
  sources: UpstreamSources,
): Promise<void> {
  const { extensionPaths } = settings;
  if (extensionPaths.length === 0) return;
  const problems: string[] = [];
  const choice = upstreamChoice(sources);
  if (choice?.kind === "attach" || choice?.kind === "other_browser") {
    problems.push(
      `Cannot load extensions together with ${choice.origin}: they need a Chromium that is started here`,
    );
  }
  const isolated = upstreamOption(sources, ISOLATED);
  if (isSwitchedOn(isolated?.value)) {
    problems.push(
      `Cannot load extensions together with ${isolated?.origin}: they need a profile on disk. Leave it out (over ` +
        "HTTP also --storage-state)",
    );
  }
  for (const [index, path] of extensionPaths.entries()) {
    const problem = await extensionProblem(path);
    if (problem !== undefined) problems.push(`Cannot use extensionPaths[${index}] "${path}": ${problem}`);
  }
  if (problems.length > 0) throw new AppError("usage", problems.join("\n"));
}
