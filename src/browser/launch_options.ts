import type { BrowserPlan } from "./browser_plan.ts";
import type { LaunchSettings } from "./browser_settings.ts";
import { argumentKey, mergeBrowserArguments } from "./browser_arguments.ts";

const NO_SANDBOX = "--no-sandbox";

/**
 * Defaults of Playwright that CloakBrowser is launched without: the first shows pages that the browser is
 * automated, the second gives its graphics a renderer that no visitor's machine has.
 */
const UNWANTED_DEFAULTS: readonly string[] = ["--enable-automation", "--enable-unsafe-swiftshader"];

/** Launch options of Playwright, as far as we set them. */
export interface LaunchOptions {
  readonly executablePath?: string;
  readonly headless: boolean;
  readonly args: readonly string[];
  readonly chromiumSandbox?: boolean;
  readonly ignoreDefaultArgs?: readonly string[];
}

/**
 * How the planned browser is launched. A user's argument replaces a stealth argument with the same key; with the
 * Playwright engine only the user's own arguments are passed.
 */
export function launchOptions(settings: LaunchSettings, plan: BrowserPlan): LaunchOptions {
  const cloak = plan.engine === "cloak";
  return {
    ...(plan.executablePath === undefined ? {} : { executablePath: plan.executablePath }),
    headless: settings.headless,
    args: cloak
      ? cloakArguments(settings, plan)
      : mergeBrowserArguments(plan.built?.args ?? [], settings.extraArgs),
    ...(settings.sandbox === undefined ? {} : { chromiumSandbox: settings.sandbox }),
    ...(cloak ? { ignoreDefaultArgs: UNWANTED_DEFAULTS } : {}),
  };
}

/** CloakBrowser's defaults contain `--no-sandbox` themselves, so the switch has to take it out as well. */
function cloakArguments(settings: LaunchSettings, plan: BrowserPlan): string[] {
  const stealth = settings.stealthArgs ? plan.stealthArgs ?? [] : [];
  return mergeBrowserArguments(
    stealth.filter((argument) => argumentKey(argument) !== NO_SANDBOX),
    settings.sandbox === false ? [NO_SANDBOX] : [],
    plan.built?.args ?? [],
    settings.extraArgs,
  );
}
