/**
 * One session's second way into its browser: the capability of each generation, from the proof that MCP and DevTools
 * reach the same browser until that browser is gone.
 */
import { AppError, messageOf } from "../errors.ts";
import { pause } from "../platform/deadline.ts";
import type { JsonObject } from "../protocol/json_rpc.ts";
import type { Logger } from "../telemetry/log.ts";
import { proveSameBrowser, type RunTool } from "./bootstrap_challenge.ts";
import { newCapability } from "./capability.ts";
import { DevToolsSocket } from "./devtools_socket.ts";
import type { CdpEndpoint } from "./endpoint.ts";
import { type DevToolsAddress, locateDevTools } from "./locate_devtools.ts";
import type { PortLease } from "./port_pool.ts";

/**
 * `starting`: a generation is being proven; `ready`: its capability is published; `unavailable`: the browser is gone
 * and the next browser call brings another.
 */
export type CdpState = "starting" | "ready" | "unavailable";

/** A generation that MCP drives, as far as the proof needs it. */
export interface DrivenBrowser {
  readonly generation: number;
  /** Of the upstream process that has started the browser, or will. */
  readonly pid: number;
  readonly runTool: RunTool;
}

export interface ManagedCdpOptions {
  readonly endpoint: CdpEndpoint;
  readonly lease: PortLease;
  readonly bindHost: string;
  readonly advertisedHost: string | undefined;
  /** All that it takes to get a capability published, in milliseconds. */
  readonly bootstrapTimeoutMs: number;
  /** A capability was published, or is dead. */
  readonly onChange: () => void;
  /** The browser of a published generation is gone. */
  readonly onLost: (generation: number) => void;
  readonly log: Logger;
}

/** How often it is looked whether the browser listens already. */
const LOOK_EVERY_MS = 25;

export class ManagedCdp {
  readonly #options: ManagedCdpOptions;
  #state: CdpState = "starting";
  #generation = 0;
  #sentinel: DevToolsSocket | undefined;
  #proving: AbortController | undefined;
  #closed = false;

  constructor(options: ManagedCdpOptions) {
    this.#options = options;
  }

  get state(): CdpState {
    return this.#state;
  }

  /** For `cloakbrowser_bridge_info`. */
  report(): JsonObject {
    const { endpoint, lease, bindHost, advertisedHost } = this.#options;
    return {
      enabled: true,
      state: this.#state,
      generation: this.#generation,
      bindHost,
      port: lease.port,
      advertisedHost: advertisedHost ?? null,
      discoveryUrl: endpoint.discoveryUrl() ?? null,
      activeConnections: endpoint.activeConnections,
    };
  }

  /**
   * Starts the browser of a generation, proves that DevTools reaches it, and publishes a new capability.
   *
   * @throws {AppError} `browser_unavailable`; nothing is published then
   */
  async prepare(browser: DrivenBrowser): Promise<void> {
    const { bootstrapTimeoutMs, endpoint } = this.#options;
    this.invalidate();
    this.#state = "starting";
    this.#generation = browser.generation;
    const proving = new AbortController();
    this.#proving = proving;
    const timer = setTimeout(
      () => proving.abort(new Error(`timed out after ${bootstrapTimeoutMs} ms`)),
      bootstrapTimeoutMs,
    );
    let sentinel: DevToolsSocket | undefined;
    try {
      await aborting(browser.runTool("browser_tabs", { action: "list" }), proving.signal);
      const found = await connect(browser.pid, proving.signal);
      sentinel = found.socket;
      await proveSameBrowser(sentinel, browser.runTool, proving.signal);
      proving.signal.throwIfAborted();
      this.#watch(sentinel, browser.generation);
      endpoint.publish({ capability: newCapability(), port: found.address.port });
      this.#state = "ready";
      this.#options.onChange();
    } catch (error) {
      sentinel?.close();
      this.invalidate();
      throw new AppError("browser_unavailable", `Managed CDP bootstrap failed: ${messageOf(error)}`, {
        remedy: "The next browser call tries again",
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      if (this.#proving === proving) this.#proving = undefined;
    }
  }

  /** Ends the capability at once, and a proof that is under way. Idempotent. */
  invalidate(): void {
    const wasReady = this.#state === "ready";
    this.#state = "unavailable";
    this.#proving?.abort(new Error("the browser was lost"));
    this.#options.endpoint.invalidate();
    this.#sentinel?.close();
    this.#sentinel = undefined;
    if (wasReady && !this.#closed) this.#options.onChange();
  }

  /** Nobody gets in any more. The browser may be ended after it; {@link release} follows that. */
  stop(): void {
    this.#closed = true;
    this.invalidate();
  }

  /** Closes the listener and gives the port back; a port whose listener does not close stays leased. */
  async release(): Promise<void> {
    const { endpoint, lease, log } = this.#options;
    try {
      await endpoint.close();
      lease.release();
    } catch (error) {
      log.error("managed CDP cleanup failed: the port stays leased", {
        port: lease.port,
        cause: messageOf(error),
      });
    }
  }

  /** The connection of the sentinel closes with the browser, however that ends. */
  #watch(sentinel: DevToolsSocket, generation: number): void {
    this.#sentinel = sentinel;
    void sentinel.closed.then(() => {
      if (this.#sentinel !== sentinel) return;
      this.invalidate();
      this.#options.log.info("the browser is gone", { generation });
      this.#options.onLost(generation);
    });
  }
}

/**
 * Connects to the browser below a process, as soon as it listens. An earlier browser may have left its address in the
 * same profile: no other browser has the path in it, so that one is refused.
 */
async function connect(
  pid: number,
  signal: AbortSignal,
): Promise<{ readonly address: DevToolsAddress; readonly socket: DevToolsSocket }> {
  for (;;) {
    signal.throwIfAborted();
    const address = await locateDevTools(pid);
    if (address !== undefined) {
      try {
        return { address, socket: await DevToolsSocket.connect(address.url, signal) };
      } catch {
        // Not there yet, or not there any more.
      }
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** Settles as `work` does, or rejects when the signal comes first. */
async function aborting<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abandon = (): void => reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", abandon, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abandon);
  }
}
