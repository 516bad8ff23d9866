/**
 * Decides which browser runs: the one that the user named, CloakBrowser, or in the engine `auto` an installed
 * Chrome where CloakBrowser cannot be had. The engine `cloak` never runs anything else in its place.
 */

import { join } from "node:path";
import { AppError, messageOf } from "../errors.ts";
import type { Logger } from "../telemetry/log.ts";
import type {
  BinaryInfo,
  BinaryReport,
  BrowserPlan,
  BrowserResolver,
  EnsureProgress,
} from "./browser_plan.ts";
import type { BrowserSettings } from "./browser_settings.ts";
import { binaryNote } from "./binary_note.ts";
import { type CloakBrowserPackage, createCloakBrowserPackage } from "./cloakbrowser_package.ts";
import { classifyFailure } from "./download_failure.ts";
import { findInstalledChrome, isExecutableFile } from "./installed_chrome.ts";
import { outputDirectory } from "./output_directory.ts";
import { type UpstreamChoice, upstreamChoice } from "./upstream_choice.ts";
import type { JsonObject, UpstreamSources } from "./upstream_option.ts";

export type { BinaryReport, BrowserPlan, BrowserResolver, EnsureProgress } from "./browser_plan.ts";

/** What the resolver asks of the outside world, besides the disk. */
export interface ResolverPorts {
  /** Content of upstream's own configuration file; an empty object where there is none. */
  readonly readUserConfig: () => Promise<JsonObject>;
  readonly cloakbrowser?: CloakBrowserPackage;
  readonly findChrome?: () => Promise<string | undefined>;
}

export function createBrowserResolver(
  settings: BrowserSettings,
  env: Readonly<Record<string, string>>,
  log: Logger,
  ports: ResolverPorts,
): BrowserResolver {
  return new Resolver(settings, env, log, ports);
}

/** A name that no browser has: upstream must not choose one in the place of a CloakBrowser that cannot exist. */
const NO_BROWSER = "no-cloakbrowser-for-this-platform";

class Resolver implements BrowserResolver {
  readonly #settings: BrowserSettings;
  readonly #env: Readonly<Record<string, string>>;
  readonly #log: Logger;
  readonly #readUserConfig: () => Promise<JsonObject>;
  readonly #cloakbrowser: CloakBrowserPackage;
  readonly #findChrome: () => Promise<string | undefined>;
  #stealthArgs: Promise<readonly string[]> | undefined;
  #found: BrowserPlan | undefined;
  /** Why an installed Chrome stands in for CloakBrowser. */
  #fallbackReason: string | undefined;
  #flight: Promise<BrowserPlan> | undefined;
  #lastProgress: EnsureProgress | undefined;
  readonly #listeners = new Set<(progress: EnsureProgress) => void>();

  constructor(
    settings: BrowserSettings,
    env: Readonly<Record<string, string>>,
    log: Logger,
    ports: ResolverPorts,
  ) {
    this.#settings = settings;
    this.#env = env;
    this.#log = log;
    this.#readUserConfig = ports.readUserConfig;
    this.#cloakbrowser = ports.cloakbrowser ?? createCloakBrowserPackage(settings, log);
    this.#findChrome = ports.findChrome ?? (() => findInstalledChrome(env));
  }

  async plan(): Promise<BrowserPlan> {
    if (this.#found !== undefined) return this.#found;
    const fixed = await this.#fixedPlan();
    if (fixed !== undefined) return fixed;
    const info = await this.#binaryInfo();
    if (info !== undefined) return await this.#cloakPlan(info.binaryPath, "cloakbrowser");
    // No download will ever help on this platform, so `auto` need not wait for one to fail.
    const chrome = this.#settings.browserEngine === "auto" ? await this.#findChrome() : undefined;
    if (chrome !== undefined) return this.#fallBack(chrome, "there is no CloakBrowser for this platform");
    return await this.#cloakPlan(join(Deno.cwd(), NO_BROWSER), "cloakbrowser");
  }

  async ensure(onProgress: (progress: EnsureProgress) => void): Promise<BrowserPlan> {
    this.#listeners.add(onProgress);
    // Who joins a download in the middle learns at once that there is one.
    if (this.#lastProgress !== undefined) onProgress(this.#lastProgress);
    try {
      return await (this.#flight ??= this.#ensure().finally(() => {
        this.#flight = undefined;
        this.#lastProgress = undefined;
      }));
    } finally {
      this.#listeners.delete(onProgress);
    }
  }

  async info(): Promise<BinaryReport> {
    const plan = await this.plan();
    const sources = await this.#upstreamSources();
    const choice = upstreamChoice(sources);
    const binary = this.#settings.browserEngine === "playwright"
      ? undefined
      : await this.#binaryInfoFor(plan);
    const fallbackReason = this.#fallbackReason;
    const note = binaryNote({ settings: this.#settings, plan, choice, binary, fallbackReason });
    return {
      browserEngine: plan.engine,
      executablePath: plan.executablePath ?? choice?.executablePath ?? null,
      source: plan.source,
      outputDir: outputDirectory(sources, Deno.cwd()),
      binary: binary ?? null,
      ...(note === undefined ? {} : { note }),
    };
  }

  async #ensure(): Promise<BrowserPlan> {
    const found = this.#found;
    if (found?.executablePath !== undefined && await isExecutableFile(found.executablePath)) return found;
    const fixed = await this.#fixedPlan();
    if (fixed !== undefined) {
      await this.#checkNamedBrowser(fixed);
      return fixed;
    }
    try {
      const { downloadCloakBrowser } = await import("./download.ts");
      const path = await downloadCloakBrowser(
        this.#cloakbrowser,
        this.#settings,
        this.#log,
        (progress) => this.#publish(progress),
      );
      this.#fallbackReason = undefined;
      return this.#found = await this.#cloakPlan(path, "cloakbrowser");
    } catch (error) {
      return await this.#installedInstead(error);
    }
  }

  /** Plans that need no CloakBrowser package to be asked. */
  async #fixedPlan(): Promise<BrowserPlan | undefined> {
    const { browserEngine, binaryPath } = this.#settings;
    const choice = upstreamChoice(await this.#upstreamSources());
    if (choice !== undefined) return await this.#upstreamPlan(choice);
    if (browserEngine === "playwright") {
      return { engine: "playwright", executablePath: undefined, source: "upstream" };
    }
    return binaryPath === undefined ? undefined : await this.#cloakPlan(binaryPath, "binary_path");
  }

  /** An executable that the user names while asking for CloakBrowser is taken to be one. */
  async #upstreamPlan(choice: UpstreamChoice): Promise<BrowserPlan> {
    const { browserEngine } = this.#settings;
    if (choice.kind === "other_browser" && browserEngine !== "playwright") {
      throw new AppError(
        "usage",
        `Cannot use ${choice.origin}: --browser-engine ${browserEngine} runs a Chromium`,
        { remedy: "Add --browser-engine playwright to run another browser" },
      );
    }
    const cloak = choice.kind === "executable" && browserEngine === "cloak";
    return {
      engine: cloak ? "cloak" : "playwright",
      executablePath: undefined,
      source: "upstream",
      ...(cloak ? { stealthArgs: await this.#drawStealthArgs() } : {}),
      ...(choice.kind === "attach" ? { attaches: true } : {}),
    };
  }

  async #cloakPlan(executablePath: string, source: "binary_path" | "cloakbrowser"): Promise<BrowserPlan> {
    return { engine: "cloak", executablePath, source, stealthArgs: await this.#drawStealthArgs() };
  }

  /** Not asked for where they are not wanted: the package takes a while to load. */
  async #drawStealthArgs(): Promise<readonly string[]> {
    if (!this.#settings.stealthArgs) return [];
    return await (this.#stealthArgs ??= this.#cloakbrowser.stealthArgs());
  }

  async #checkNamedBrowser(plan: BrowserPlan): Promise<void> {
    if (plan.source !== "binary_path" || plan.executablePath === undefined) return;
    if (await isExecutableFile(plan.executablePath)) return;
    throw new AppError(
      "browser_unavailable",
      `Cannot start the browser "${plan.executablePath}": it is not an executable file`,
      { remedy: "Name another one with --binary-path, or leave that out to use CloakBrowser" },
    );
  }

  /** `auto` makes up for a network or platform without CloakBrowser, and for nothing else. */
  async #installedInstead(error: unknown): Promise<BrowserPlan> {
    if (this.#settings.browserEngine !== "auto" || !(error instanceof AppError)) throw error;
    if (error.code !== "browser_unavailable" || classifyFailure(error.cause) !== "unavailable") throw error;
    const chrome = await this.#findChrome();
    if (chrome !== undefined) return this.#fallBack(chrome, error.message);
    throw new AppError(error.code, `${error.message}. No Chrome or Chromium is installed either`, {
      ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
      cause: error.cause,
    });
  }

  /** For the rest of this process: a browser that changed with the network would lose its profile each time. */
  #fallBack(executablePath: string, reason: string): BrowserPlan {
    if (this.#fallbackReason === undefined) {
      this.#log.warn("running an installed browser instead of CloakBrowser", { executablePath, reason });
    }
    this.#fallbackReason = reason;
    return this.#found = { engine: "playwright", executablePath, source: "installed_chrome" };
  }

  /** Undefined on a platform without CloakBrowser. */
  async #binaryInfo(): Promise<BinaryInfo | undefined> {
    try {
      return await this.#cloakbrowser.info();
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.#log.debug("CloakBrowser does not say what it would run", { cause: messageOf(error) });
      return undefined;
    }
  }

  /** Beside another browser CloakBrowser is a detail, which need not be known. */
  async #binaryInfoFor({ source }: BrowserPlan): Promise<BinaryInfo | undefined> {
    try {
      return await this.#binaryInfo();
    } catch (error) {
      if (source === "cloakbrowser") throw error;
      return undefined;
    }
  }

  async #upstreamSources(): Promise<UpstreamSources> {
    return {
      upstreamArgs: this.#settings.upstreamArgs,
      env: this.#env,
      config: await this.#readUserConfig(),
    };
  }

  #publish(progress: EnsureProgress): void {
    this.#lastProgress = progress;
    for (const listener of this.#listeners) {
      try {
        listener(progress);
      } catch (error) {
        this.#log.debug("a progress listener failed", { cause: messageOf(error) });
      }
    }
  }
}
