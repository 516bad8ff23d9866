/** An endpoint on loopback, with what it logged and reported. */
import { newCapability } from "../../src/cdp/capability.ts";
import { type CdpAddress, CdpEndpoint, type CdpLimits } from "../../src/cdp/endpoint.ts";
import { createLogger } from "../../src/telemetry/log.ts";

const LIMITS: CdpLimits = {
  maxConnections: 8,
  maxHttpRequests: 16,
  maxMessageBytes: 0,
  maxHeaderBytes: 16_384,
  requestTimeoutMs: 10_000,
};

export interface EndpointRunOptions {
  readonly limits?: Partial<CdpLimits>;
  readonly denied?: readonly string[];
  readonly advertised?: Partial<CdpAddress>;
  readonly tls?: { readonly cert: string; readonly key: string };
}

export class EndpointRun implements AsyncDisposable {
  readonly endpoint: CdpEndpoint;
  readonly port: number;
  readonly capability = newCapability();
  readonly log: string[] = [];
  traffic = 0;

  constructor({ limits, denied = [], advertised, tls }: EndpointRunOptions = {}) {
    const listener = tls === undefined
      ? Deno.listen({ hostname: "127.0.0.1", port: 0 })
      : Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...tls });
    this.port = (listener.addr as Deno.NetAddr).port;
    this.endpoint = new CdpEndpoint({
      listener,
      advertised: {
        scheme: tls === undefined ? "http" : "https",
        host: "127.0.0.1",
        port: this.port,
        ...advertised,
      },
      limits: { ...LIMITS, ...limits },
      denied,
      onTraffic: () => this.traffic++,
      log: createLogger({ level: "trace", format: "text", write: (line) => this.log.push(line) }),
      now: () => performance.now(),
    });
  }

  /** Already published. */
  static to(port: number, options: EndpointRunOptions = {}): EndpointRun {
    const run = new EndpointRun(options);
    run.endpoint.publish({ capability: run.capability, port });
    return run;
  }

  /** Path under the capability. */
  path(rest: string): string {
    return `/cdp/${this.capability}${rest}`;
  }

  url(rest = ""): string {
    return `http://127.0.0.1:${this.port}${this.path(rest)}`;
  }

  socketUrl(rest = ""): string {
    return `ws://127.0.0.1:${this.port}${this.path(rest)}`;
  }

  get host(): string {
    return `Host: 127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.endpoint.close();
  }
}
