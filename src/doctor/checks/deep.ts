import type { Bridge } from "../../bridge/bridge.ts";
import type { ClientPort } from "../../bridge/client_port.ts";
import { BRIDGE_INFO } from "../../bridge/local_tools.ts";
import { messageOf } from "../../errors.ts";
import type { JsonObject } from "../../protocol/json_rpc.ts";
import { VERSION } from "../../version.ts";
import { BridgeClient } from "../bridge_client.ts";
import { type Check, type CheckResult, error, ok, skipped } from "../check.ts";
import { type DeepConfiguration, deepConfiguration } from "../deep_configuration.ts";
import { openLoopbackPage } from "../loopback_page.ts";
import { pageFeatureFindings } from "../page_feature_findings.ts";
import type { Finding } from "../report.ts";
import { lastLines } from "../run_program.ts";

/** A cold disk and a slow machine need twenty seconds; what takes longer than this, no client would wait for. */
const STEPS_MS = 50_000;

/** With the end of what hangs. */
const BOUND_MS = 60_000;

/** How long browser and upstream may take to end by themselves before they are killed. */
const CLOSE_MS = 3000;

/** Lines of an upstream error: a browser that does not start explains itself in about so many. */
const SHOWN_LINES = 12;

const PROTOCOL_VERSION = "2025-06-18";

export interface DeepPort {
  /** A directory of this process alone, which the disposal removes. */
  readonly openDirectory: () => Promise<AsyncDisposable & { readonly path: string }>;
  /** The bridge of a server that is configured so. */
  readonly openBridge: (configuration: DeepConfiguration, client: ClientPort) => Promise<Bridge>;
}

interface Step {
  readonly name: string;
  readonly ms: number;
}

/** Launches the browser the way a client's first calls would, with a profile of its own, and ends it again. */
export function createDeepCheck(port: DeepPort): Check {
  return {
    name: "deep",
    boundMs: BOUND_MS,
    async run(world, signal): Promise<CheckResult> {
      const subject = await world.subject().catch(() => undefined);
      if (subject === undefined) return { findings: [skipped("There is no browser that could be launched")] };
      if (subject.notOurs !== undefined) return { findings: [skipped(`Not applicable: ${subject.notOurs}`)] };
      if (subject.source === "cloakbrowser" && subject.cloakbrowser?.installed !== true) {
        const remedy = 'Download CloakBrowser with "cloakbrowser-mcp install" first';
        return { findings: [error("There is no browser to launch, and the doctor downloads none", remedy)] };
      }
      await using directory = await port.openDirectory();
      const configuration = deepConfiguration(world, subject, directory.path);
      const expiry = new AbortController();
      const timer = setTimeout(() => expiry.abort(), STEPS_MS);
      try {
        return await launch(port, configuration, AbortSignal.any([signal, expiry.signal]));
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function launch(
  port: DeepPort,
  configuration: DeepConfiguration,
  signal: AbortSignal,
): Promise<CheckResult> {
  const steps: Step[] = [];
  const findings: Finding[] = [];
  let current = "start";
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    current = name;
    const startedAt = performance.now();
    const result = await work();
    const ms = Math.round(performance.now() - startedAt);
    steps.push({ name, ms });
    findings.push(ok(`${name}: ${ms} ms`));
    return result;
  };
  const client = new BridgeClient();
  await using page = openLoopbackPage();
  let bridge: Bridge | undefined;
  try {
    bridge = await port.openBridge(configuration, client);
    const { relay } = bridge;
    client.connect((bytes) => relay.fromClient(bytes));
    // Settings that can never work are told by the bridge, not by an answer.
    const unusable = bridge.unusable.then((fault) => Promise.reject(fault));
    findings.push(...await Promise.race([unusable, browse(client, page, timed, signal)]));
  } catch (cause) {
    const reason = lastLines(messageOf(cause), SHOWN_LINES);
    findings.push(
      error(
        `${current} failed: ${reason}`,
        "See what the other checks say about the browser, and docs/troubleshooting.md for the message",
      ),
    );
    if (signal.aborted) await bridge?.relay.supervisor.kill();
  } finally {
    if (bridge !== undefined) {
      const open = bridge;
      await timed("end", () => open.close(signal.aborted ? 0 : CLOSE_MS));
    }
  }
  return { findings, details: { steps: steps.map(({ name, ms }) => ({ name, ms })) } };
}

type Timed = <T>(name: string, work: () => Promise<T>) => Promise<T>;

async function browse(
  client: BridgeClient,
  page: ReturnType<typeof openLoopbackPage>,
  timed: Timed,
  signal: AbortSignal,
): Promise<Finding[]> {
  await timed("initialize", async () => {
    const clientInfo = { name: "cloakbrowser-mcp-doctor", version: VERSION };
    const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo };
    await client.request("initialize", params, signal);
    await client.notify("notifications/initialized");
  });
  await timed("tools/list", () => client.request("tools/list", {}, signal));
  const call = async (name: string, args: Record<string, unknown>): Promise<ToolResult> => {
    const result = await client.request("tools/call", { name, arguments: args }, signal) as ToolResult;
    if (result.isError === true) throw new Error(textOf(result));
    return result;
  };
  await timed("browser_navigate", async () => {
    await call("browser_navigate", { url: page.url });
    if (!page.wasRead()) throw new Error("the browser says that it has opened the page, but has not read it");
  });
  await timed("browser_take_screenshot", async () => {
    const result = await call("browser_take_screenshot", { type: "png" });
    const picture = result.content?.find(({ type }) => type === "image")?.data;
    // With --image-responses omit there is none.
    if (picture !== undefined && !isPng(picture)) throw new Error("the answer holds no picture");
  });
  const { structuredContent = {} } = await call(BRIDGE_INFO, {});
  await timed("browser_close", () => call("browser_close", {}));
  return pageFeatureFindings(structuredContent);
}

interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: JsonObject;
  readonly content?: readonly { readonly type: string; readonly text?: string; readonly data?: string }[];
}

function textOf({ content = [] }: ToolResult): string {
  return content.map(({ text = "" }) => text).join("\n");
}

/** PNG, third edition, section 5.2: the first eight bytes. */
const PNG_SIGNATURE = "\x89PNG\r\n\x1a\n";

function isPng(base64: string): boolean {
  return atob(base64.slice(0, 12)).startsWith(PNG_SIGNATURE);
}
