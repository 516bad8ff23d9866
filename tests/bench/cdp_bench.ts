/**
 * The CDP rows of the performance table: through the endpoint against the DevTools socket itself, in turns in one run.
 */
import { fileURLToPath } from "node:url";
import { StandaloneBrowser } from "../e2e/standalone_browser.ts";
import { RawWebSocket } from "../harness/raw_websocket.ts";
import { median, type Row } from "./row.ts";

const CALLS = 2000;
/** Answers of this size, as a screenshot of a long page has it. */
const BULK_BYTES = 32 * 1024 * 1024;
const BULK_TURNS = 9;

export async function cdpRows(): Promise<Row[]> {
  const profile = await Deno.makeTempDir({ prefix: "cdp-bench-" });
  try {
    await using browser = await StandaloneBrowser.start(profile);
    await using endpoint = await startEndpoint(Number(new URL(browser.endpoint).port));
    const list: { type: string; id: string; webSocketDebuggerUrl: string }[] =
      await (await fetch(`${browser.endpoint}/json/list`)).json();
    const page = list.find(({ type }) => type === "page");
    if (page === undefined) throw new Error("The browser has no page");
    using direct = await RawWebSocket.open(page.webSocketDebuggerUrl);
    using through = await RawWebSocket.open(`${endpoint.socketUrl}/devtools/page/${page.id}`);
    const trips = await inTurns(CALLS, direct, through, roundTrip);
    const bulk = await inTurns(BULK_TURNS, direct, through, bulkAnswer);
    const throughput = (ms: number): number => BULK_BYTES / 1024 / 1024 / (ms / 1000);
    return [
      {
        what: "CDP round trip p50",
        unit: "ms",
        value: trips.through,
        peer: { name: "the DevTools socket directly", value: trips.direct },
        target: "ratio ≤ 1.3",
      },
      {
        what: "CDP answers of 32 MiB",
        unit: "MiB/s",
        value: throughput(bulk.through),
        peer: { name: "the DevTools socket directly", value: throughput(bulk.direct) },
        target: "ratio ≥ 0.85",
      },
    ];
  } finally {
    await Deno.remove(profile, { recursive: true });
  }
}

interface Endpoint extends AsyncDisposable {
  readonly socketUrl: string;
}

async function startEndpoint(port: number): Promise<Endpoint> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--quiet", modulePath("cdp_endpoint_process.ts"), String(port)],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    socketUrl: new TextDecoder().decode(value),
    async [Symbol.asyncDispose](): Promise<void> {
      await child.stdin.close();
      await reader.cancel();
      await child.status;
    },
  };
}

function modulePath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Median milliseconds of each side, after one turn that warms up. */
async function inTurns(
  turns: number,
  direct: RawWebSocket,
  through: RawWebSocket,
  work: (socket: RawWebSocket) => Promise<number>,
): Promise<{ direct: number; through: number }> {
  const taken: { direct: number[]; through: number[] } = { direct: [], through: [] };
  for (let turn = 0; turn <= turns; turn++) {
    const without = await work(direct);
    const within = await work(through);
    if (turn === 0) continue;
    taken.direct.push(without);
    taken.through.push(within);
  }
  return { direct: median(taken.direct), through: median(taken.through) };
}

async function roundTrip(socket: RawWebSocket): Promise<number> {
  const from = performance.now();
  await socket.command(1, "Runtime.evaluate", { expression: "1" });
  return performance.now() - from;
}

/** Of one large answer: only the time from its first byte on, before which Chromium is making it. */
async function bulkAnswer(socket: RawWebSocket): Promise<number> {
  const params = { expression: `"x".repeat(${BULK_BYTES})`, returnByValue: true };
  await socket.sendText(JSON.stringify({ id: 2, method: "Runtime.evaluate", params }));
  const from = await socket.readable();
  await socket.message();
  return performance.now() - from;
}
