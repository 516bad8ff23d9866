import type { BinaryInfo, BrowserPlan } from "./browser_plan.ts";
import type { BrowserSettings } from "./browser_settings.ts";
import type { UpstreamChoice } from "./upstream_choice.ts";

export interface NoteInput {
  readonly settings: Pick<BrowserSettings, "browserEngine" | "binaryPath">;
  readonly plan: BrowserPlan;
  readonly choice: UpstreamChoice | undefined;
  /** Undefined on a platform without CloakBrowser. */
  readonly binary: BinaryInfo | undefined;
  /** Why an installed browser stands in for CloakBrowser. */
  readonly fallbackReason: string | undefined;
}

/** What the bare facts of the report do not tell: why this browser, and which setting has no effect. */
export function binaryNote(input: NoteInput): string | undefined {
  const { settings: { browserEngine, binaryPath }, plan, choice, binary, fallbackReason } = input;
  const ignored = binaryPath === undefined ? "" : `; "${binaryPath}" is not used`;
  if (choice?.kind === "attach") {
    return `Playwright MCP attaches to a browser, as ${choice.origin} says${ignored}`;
  }
  if (choice !== undefined) return `The browser was chosen by ${choice.origin}${ignored}`;
  if (fallbackReason !== undefined) {
    return `An installed browser runs instead of CloakBrowser: ${fallbackReason}`;
  }
  if (browserEngine === "playwright") {
    return `Playwright MCP chooses the browser${ignored && `${ignored} with this engine`}`;
  }
  if (plan.source === "binary_path") {
    return "The browser was named by --binary-path; nothing is downloaded or updated";
  }
  if (binary === undefined) return "There is no CloakBrowser for this platform";
  return binary.installed ? undefined : "CloakBrowser is not here yet; the first browser call downloads it";
}
