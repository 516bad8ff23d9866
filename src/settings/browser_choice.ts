/**
 * Upstream's `--browser` beside our engine. Playwright obeys it; CloakBrowser is one Chromium, so a request for another
 * kind of browser must not pass silently.
 */

import { nameOrigin } from "./origin.ts";
import type { UpstreamSetting } from "./settings.ts";

/** Values of `--browser` that no Chromium can stand in for. */
const OTHER_BROWSER = /^(firefox|webkit|moz-firefox.*)$/;

/** What is wrong with the choice, and what the user should know about it; both as whole sentences. */
export function judgeBrowserChoice(
  engine: unknown,
  upstream: readonly UpstreamSetting[],
): { readonly problems: readonly string[]; readonly notices: readonly string[] } {
  const setting = upstream.findLast(({ flag }) => flag === "--browser");
  const browser = setting?.values[0]?.trim() ?? "";
  if (engine === "playwright" || setting === undefined || browser === "") {
    return { problems: [], notices: [] };
  }
  const source = `"${browser}" for ${nameOrigin(setting.origin)}`;
  if (OTHER_BROWSER.test(browser)) {
    const problem = `Cannot use ${source}: --browser-engine ${engine} runs a Chromium. ` +
      "Add --browser-engine playwright to run another browser";
    return { problems: [problem], notices: [] };
  }
  const notice = `${source} has no effect: --browser-engine ${engine} chooses the Chromium that runs. ` +
    "Use --browser-engine playwright to choose it by --browser";
  return { problems: [], notices: [notice] };
}
