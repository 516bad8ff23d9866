/**
 * The browser that a start with these settings would run, found without network and without starting it.
 */
import type { BinaryReport, BrowserResolver, PlanSource } from "../browser/browser_plan.ts";
import type { Settings } from "../settings/settings.ts";

export interface Subject {
  readonly engine: "cloak" | "playwright";
  readonly source: PlanSource;
  /** Undefined where Playwright MCP chooses by itself. */
  readonly executablePath: string | undefined;
  /** Why this browser, or what will happen to it, in a sentence. */
  readonly note: string | undefined;
  /** Playwright MCP connects to a browser that runs already. */
  readonly attaches: boolean;
  /** Why the browser is not started by this program, as a clause; nothing about it can be judged then. */
  readonly notOurs?: string;
  /** What the `cloakbrowser` package would run; null where it is not asked. */
  readonly cloakbrowser: BinaryReport["binary"];
}

/** @throws {AppError} `usage` where the settings contradict each other */
export async function findSubject(
  resolver: Pick<BrowserResolver, "plan" | "info">,
  settings: Pick<Settings, "browserEngine" | "upstreamCommand">,
  findChrome: () => Promise<string | undefined>,
): Promise<Subject> {
  if (settings.upstreamCommand !== undefined) {
    return {
      engine: "playwright",
      source: "upstream",
      executablePath: undefined,
      note: undefined,
      attaches: false,
      notOurs: "the upstream that the settings name has a browser of its own",
      cloakbrowser: null,
    };
  }
  const plan = await resolver.plan();
  const info = await resolver.info();
  const { binary: cloakbrowser } = info;
  const missing = plan.source === "cloakbrowser" && cloakbrowser?.installed !== true;
  const chrome = missing && settings.browserEngine === "auto" ? await findChrome() : undefined;
  if (chrome !== undefined) {
    return {
      engine: "playwright",
      source: "installed_chrome",
      executablePath: chrome,
      note: "CloakBrowser is not here yet; where it cannot be downloaded, the installed browser runs instead",
      attaches: false,
      cloakbrowser,
    };
  }
  const attaches = plan.attaches === true;
  return {
    engine: plan.engine,
    source: plan.source,
    executablePath: attaches ? undefined : info.executablePath ?? undefined,
    note: info.note,
    attaches,
    ...(attaches && { notOurs: "the browser runs already" }),
    cloakbrowser,
  };
}
