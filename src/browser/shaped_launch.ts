/**
 * Adds to the plan of a resolver what this session wants of the launch: its proxy, the place where that comes out,
 * extensions, the window. A look at the proxy waits for the first browser call, like a download.
 */

import { AppError } from "../errors.ts";
import type { Logger } from "../telemetry/log.ts";
import type { BrowserPlan, BrowserResolver, BuiltLaunch, EnsureProgress } from "./browser_plan.ts";
import {
  chooseProxy,
  isAuthenticatedSocks,
  type ProxyChoice,
  withoutProxyArguments,
} from "./browser_proxy.ts";
import type { BrowserSettings, LaunchSettings } from "./browser_settings.ts";
import type { MatchPlace } from "./geoip_match.ts";
import type { BuildLaunch, LaunchRequest } from "./launch_builder.ts";
import { upstreamOption, type UpstreamSources, valueAt } from "./upstream_option.ts";

export interface LaunchShape {
  readonly settings: Pick<BrowserSettings, "browserVersion" | "browserEngine"> & LaunchSettings;
  readonly sources: UpstreamSources;
  readonly build: BuildLaunch;
  readonly matchPlace: MatchPlace;
  readonly log: Pick<Logger, "warn">;
}

export function shapedLaunch(resolver: BrowserResolver, shape: LaunchShape): BrowserResolver {
  return new ShapedLaunch(resolver, shape);
}

/** Options of upstream, or members of the context options, that decide the size of pages. */
const SIZES = [
  { flag: "--viewport-size", env: "PLAYWRIGHT_MCP_VIEWPORT_SIZE", config: "browser.contextOptions.viewport" },
  { flag: "--device", env: "PLAYWRIGHT_MCP_DEVICE" },
  { flag: "--mobile", env: "PLAYWRIGHT_MCP_MOBILE" },
];

class ShapedLaunch implements BrowserResolver {
  readonly #resolver: BrowserResolver;
  readonly #shape: LaunchShape;
  #matching: Promise<BuiltLaunch> | undefined;
  #warned = false;

  constructor(resolver: BrowserResolver, shape: LaunchShape) {
    this.#resolver = resolver;
    this.#shape = shape;
  }

  async plan(): Promise<BrowserPlan> {
    return await this.#shaped(await this.#resolver.plan(), (request) => this.#shape.build(request));
  }

  async ensure(onProgress: (progress: EnsureProgress) => void): Promise<BrowserPlan> {
    const plan = await this.#resolver.ensure(onProgress);
    return await this.#shaped(plan, (request) => {
      const { proxy } = request;
      if (!this.#shape.settings.geoipProxyMatch || proxy === undefined) return this.#shape.build(request);
      onProgress({ message: "Finding out where the proxy comes out" });
      // Once for the session: a browser that replaces a lost one looks like the same visitor.
      return this.#matching ??= this.#shape.matchPlace({ ...request, proxy }).catch((error) => {
        this.#matching = undefined;
        throw error;
      });
    });
  }

  info(): ReturnType<BrowserResolver["info"]> {
    return this.#resolver.info();
  }

  async #shaped(
    plan: BrowserPlan,
    build: (request: LaunchRequest) => Promise<BuiltLaunch>,
  ): Promise<BrowserPlan> {
    if (plan.attaches) return plan;
    const { settings, sources } = this.#shape;
    const choice = chooseProxy(sources, settings.extraArgs);
    if (settings.geoipProxyMatch && choice === undefined) this.#noteNoProxy();
    if (plan.engine !== "cloak") return this.#withoutCloakBrowser(plan, choice);
    if (choice !== undefined && isAuthenticatedSocks(choice.proxy)) {
      this.#warnOnce(
        "the browser gets the password of the SOCKS proxy on its command line: it takes it nowhere else",
      );
    }
    return { ...plan, built: await build(await this.#request(plan, choice)) };
  }

  #noteNoProxy(): void {
    refuseProxyList(this.#shape.settings.extraArgs);
    this.#warnOnce("matching the browser to its proxy has no effect: there is no proxy");
  }

  /** A plan is asked for again and again, and never has more than one of these. */
  #warnOnce(message: string): void {
    if (!this.#warned) this.#shape.log.warn(message);
    this.#warned = true;
  }

  async #request(plan: BrowserPlan, choice: ProxyChoice | undefined): Promise<LaunchRequest> {
    const { settings, sources } = this.#shape;
    const theirs = valueAt(sources.config, "browser.launchOptions.args");
    const args = [...settings.extraArgs, ...Array.isArray(theirs) ? theirs.map(String) : []];
    return {
      headless: settings.headless,
      args: choice === undefined ? args : withoutProxyArguments(args),
      proxy: choice?.proxy,
      extensionPaths: settings.extensionPaths,
      fixedViewport: settings.contextOptions?.["viewport"] !== undefined ||
        SIZES.some((names) => upstreamOption(sources, names) !== undefined),
      version: plan.source === "cloakbrowser"
        ? (await this.#resolver.info()).binary?.version
        : settings.browserVersion,
    };
  }

  /** Any other Chromium knows the arguments for extensions, and no others of these. */
  #withoutCloakBrowser(plan: BrowserPlan, choice: ProxyChoice | undefined): BrowserPlan {
    const { extensionPaths, geoipProxyMatch } = this.#shape.settings;
    if (geoipProxyMatch && choice !== undefined) {
      throw new AppError(
        "usage",
        "Cannot match the browser to its proxy: only CloakBrowser can be given a place",
        {
          remedy: "Leave --geoip-proxy-match out, or run CloakBrowser with --browser-engine cloak",
        },
      );
    }
    if (choice !== undefined && isAuthenticatedSocks(choice.proxy)) {
      throw new AppError(
        "usage",
        "Cannot use a SOCKS proxy with a name and password: only CloakBrowser knows how",
        {
          remedy: "Use an HTTP proxy, or run CloakBrowser with --browser-engine cloak",
        },
      );
    }
    if (extensionPaths.length === 0) return plan;
    const list = extensionPaths.join(",");
    const args = [`--load-extension=${list}`, `--disable-extensions-except=${list}`];
    return { ...plan, built: { args, holdsProxy: false } };
  }
}

/** A list of proxies comes out at several places. */
function refuseProxyList(args: readonly string[]): void {
  if (withoutProxyArguments(args).length === args.length) return;
  throw new AppError("usage", "Cannot match the browser to its proxy: --extra-args name a list of proxies", {
    remedy: "Name one proxy with --proxy-server, or leave --geoip-proxy-match out",
  });
}
