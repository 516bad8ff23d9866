/**
 * One HTTP server whose sessions have real browsers, in a folder of its own. At the end of the run everything has to
 * be gone: the processes, the listening socket, and what they put into the temporary directory.
 */
import assert from "node:assert/strict";
import type { HttpClient } from "../harness/http_client.ts";
import { HttpRun } from "../harness/http_run.ts";
import { isRunning, readStat } from "../harness/proc_stat.ts";
import { until } from "../harness/until.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { type BrowserProcess, browsersOf, processesNaming } from "./browser_processes.ts";
import { SETTLE_MS } from "./browser_run.ts";
import { BrowserUser } from "./browser_user.ts";
import { testBrowserPath } from "./test_browser.ts";

export interface HttpBrowserRunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of an earlier run, which stays its owner. */
  readonly folder?: BrowserFolder;
}

/** Promise of the product: so long after the end of a session or server nothing of it is left. */
export const NOTHING_LEFT_WITHIN_MS = 10_000;

/** A client without capabilities: upstream asks it nothing. */
const INITIALIZE = { capabilities: {} };

export class HttpBrowserRun implements AsyncDisposable {
  readonly http: HttpRun;
  readonly folder: BrowserFolder;
  readonly #ownsFolder: boolean;

  private constructor(http: HttpRun, folder: BrowserFolder, ownsFolder: boolean) {
    this.http = http;
    this.folder = folder;
    this.#ownsFolder = ownsFolder;
  }

  /** A server that listens, without warm spares unless `args` say otherwise: every child is a session's. */
  static async start(options: HttpBrowserRunOptions = {}): Promise<HttpBrowserRun> {
    const folder = options.folder ?? new BrowserFolder();
    const http = await HttpRun.start({
      upstream: "embedded",
      folder,
      args: ["--http-warm-spares", "0", ...options.args ?? []],
      env: {
        ...folder.environment,
        PLAYWRIGHT_MCP_TIMEOUT_SETTLE: SETTLE_MS,
        CLOAKBROWSER_BINARY_PATH: await testBrowserPath(),
        ...options.env,
      },
    });
    return new HttpBrowserRun(http, folder, options.folder === undefined);
  }

  /**
   * A user whose session is open.
   *
   * @param sessionOptions what the user wants for the session
   */
  async open(sessionOptions: Readonly<Record<string, unknown>> = {}): Promise<HttpUser> {
    const client = this.http.client();
    const answer = await client.initialize({ ...INITIALIZE, _meta: { cloakbrowser: sessionOptions } });
    assert.ok(answer.result, JSON.stringify(answer));
    this.http.tree.record();
    return new HttpUser(client, this);
  }

  /** Users who look at a page of the site each. */
  async browsing(urls: readonly string[]): Promise<HttpUser[]> {
    return await Promise.all(urls.map(async (url) => {
      const user = await this.open();
      await user.navigate(url);
      this.http.tree.record();
      return user;
    }));
  }

  /** Waits until nothing of a server that has ended runs any more, wherever it went. */
  async assertNoProcessLeft(): Promise<void> {
    await this.http.tree.assertNothingLeft({ withinMs: NOTHING_LEFT_WITHIN_MS });
    const strays = (): string[] => processesNaming(this.folder.path);
    await until("no process of the folder", () => strays().length === 0, NOTHING_LEFT_WITHIN_MS).catch(() => {
      assert.deepEqual(strays(), [], "processes left outside the family");
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.http[Symbol.asyncDispose]();
      if (this.#ownsFolder) await this.assertNoProcessLeft();
    } finally {
      if (this.#ownsFolder) this.folder.remove();
    }
  }
}

export class HttpUser extends BrowserUser<HttpClient> {
  readonly #run: HttpBrowserRun;

  constructor(client: HttpClient, run: HttpBrowserRun) {
    super(client);
    this.#run = run;
  }

  /** Pid of the session's upstream. */
  async upstreamPid(): Promise<number> {
    const pid = async (): Promise<number> => (await this.report("cloakbrowser_bridge_info")).upstream.pid;
    return await until("the start of upstream", pid, NOTHING_LEFT_WITHIN_MS);
  }

  /** The one browser of this session. */
  async browser(): Promise<BrowserProcess> {
    const upstream = await this.upstreamPid();
    const [browser, ...others] = browsersOf(this.#run.http.tree).filter(({ pid }) =>
      readStat(pid)?.parent === upstream
    );
    assert.ok(browser, "no browser runs");
    assert.deepEqual(others, [], "more than one browser runs");
    return browser;
  }

  /** Where the browser of this session keeps its profile. */
  async profile(): Promise<string> {
    const flag = "--user-data-dir=";
    const value = (await this.browser()).args.find((arg) => arg.startsWith(flag));
    assert.ok(value, "the browser has a profile directory");
    return value.slice(flag.length);
  }

  /** Ends the session and waits until upstream and browser are gone. */
  async end(): Promise<void> {
    const pids = [await this.upstreamPid(), (await this.browser()).pid];
    assert.equal(await this.client.end(), 200);
    const running = (): number[] => pids.filter((pid) => isRunning(readStat(pid)));
    await until("the session's processes gone", () => running().length === 0, NOTHING_LEFT_WITHIN_MS);
  }
}
