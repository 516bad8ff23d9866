/**
 * What the rest of the product knows about the browser: which one runs, and whether it is there.
 */

export type PlanSource = "binary_path" | "cloakbrowser" | "installed_chrome" | "upstream";

/** Which executable the child is to start. */
export interface BrowserPlan {
  readonly engine: "cloak" | "playwright";
  /** Undefined: upstream's own choice. */
  readonly executablePath: string | undefined;
  readonly source: PlanSource;
  /**
   * CloakBrowser's default arguments. They hold a random fingerprint, so they are drawn once and carried here: a
   * browser that replaces a lost one looks like the same visitor.
   */
  readonly stealthArgs?: readonly string[];
  /** What CloakBrowser's own launch builder adds for this launch. */
  readonly built?: BuiltLaunch;
  /** Upstream attaches to a browser that runs already; nothing of ours goes into its launch options. */
  readonly attaches?: true;
}

export interface BuiltLaunch {
  readonly args: readonly string[];
  /** The arguments hold the proxy, so that Playwright must not be told of it. */
  readonly holdsProxy: boolean;
}

export interface EnsureProgress {
  readonly message: string;
  /** 0..100 where known. */
  readonly percent?: number;
}

/** What `cloakbrowser` says about its binary; `downloadUrl` without credentials. */
export interface BinaryInfo {
  readonly version: string;
  readonly bundledVersion: string;
  readonly platform: string;
  readonly tier: "pro" | "free";
  readonly binaryPath: string;
  readonly installed: boolean;
  readonly cacheDir: string;
  readonly downloadUrl: string;
}

/** The answer of the tool `cloakbrowser_binary_info`. */
export interface BinaryReport {
  readonly browserEngine: "cloak" | "playwright";
  readonly executablePath: string | null;
  readonly source: PlanSource;
  readonly outputDir: string;
  readonly binary: BinaryInfo | null;
  readonly note?: string;
}

export interface BrowserResolver {
  /**
   * The plan for the first start of the child, made without network and without touching a browser. The file it
   * names may not be there yet.
   *
   * @throws {AppError} `usage` for a version or a user configuration that cannot be read
   */
  plan(): Promise<BrowserPlan>;

  /**
   * Makes sure that the browser is there, before the first browser call is forwarded. Calls at the same time share
   * one download. The plan may differ from the one of {@link plan}; then the child must be started anew.
   *
   * @throws {AppError} `browser_unavailable`; the next call tries again
   */
  ensure(onProgress: (progress: EnsureProgress) => void): Promise<BrowserPlan>;

  /** What is planned, or after {@link ensure} what is used. */
  info(): Promise<BinaryReport>;
}
