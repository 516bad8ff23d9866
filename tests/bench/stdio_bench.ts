/**
 * The stdio rows of the performance table: each a ratio against a named peer, measured in turns in one run.
 */
import { BridgeRun, inheritedEnvironment } from "../harness/bridge_run.ts";
import { FakeRun } from "../harness/fake_run.ts";
import { pause } from "../../src/platform/deadline.ts";
import { RunFolder } from "../harness/run_folder.ts";
import { StdioClient } from "../harness/stdio_client.ts";
import { bridgeCommand } from "../harness/target.ts";
import { treeMemoryMb } from "./process_memory.ts";
import { median, type Row } from "./row.ts";

/** Starts measured for each side, after one that warms the disk. */
const STARTS = 9;
const CALLS = 2000;

interface Start {
  readonly initializeMs: number;
  readonly toolsListMs: number;
  readonly memoryMb: number;
}

/** @param playwrightMcp command line of `node …/@playwright/mcp/cli.js` */
export async function stdioRows(playwrightMcp: readonly string[]): Promise<Row[]> {
  const [node = "", ...nodeArgs] = playwrightMcp;
  const bridge = bridgeCommand();
  const ours: Start[] = [];
  const theirs: Start[] = [];
  for (let turn = 0; turn <= STARTS; turn++) {
    const our = await start(bridge.command, bridge.args);
    const their = await start(node, [...nodeArgs, "--headless"]);
    if (turn === 0) continue;
    ours.push(our);
    theirs.push(their);
  }
  const peer = (field: keyof Start): { name: string; value: number } => ({
    name: "node @playwright/mcp",
    value: medianOf(theirs, field),
  });
  const latency = await addedLatency();
  return [
    {
      what: "spawn to initialize answer",
      unit: "ms",
      value: medianOf(ours, "initializeMs"),
      peer: peer("initializeMs"),
      target: "ratio ≤ 0.35",
    },
    {
      what: "spawn to tools/list answer",
      unit: "ms",
      value: medianOf(ours, "toolsListMs"),
      peer: peer("toolsListMs"),
      target: "ratio ≤ 1.0",
    },
    {
      what: "tools/call p50, fake upstream",
      unit: "ms",
      value: latency.through,
      peer: { name: "the fake directly", value: latency.direct },
      target: "≤ 0.2 ms more",
    },
    {
      what: "idle session without a browser, both processes (RSS)",
      unit: "MB",
      value: medianOf(ours, "memoryMb"),
      peer: peer("memoryMb"),
      target: "≤ 200 MB",
    },
  ];
}

async function start(command: string, args: readonly string[]): Promise<Start> {
  const folder = new RunFolder();
  try {
    const env = { ...inheritedEnvironment(), TMPDIR: folder.temporary };
    const from = performance.now();
    const client = StdioClient.start({ command, args, env, cwd: folder.work });
    await client.initialize();
    const initializeMs = performance.now() - from;
    await client.request("tools/list", {});
    const toolsListMs = performance.now() - from;
    const memoryMb = await settledMemoryMb(client.pid);
    await client.closeStdin();
    await client.exit(10_000);
    return { initializeMs, toolsListMs, memoryMb };
  } finally {
    folder.remove();
  }
}

/** Memory of an idle session: the least of what is seen in the second after the start. */
async function settledMemoryMb(pid: number): Promise<number> {
  let least = Infinity;
  for (let look = 0; look < 5; look++) {
    await pause(250);
    least = Math.min(least, await treeMemoryMb(pid));
  }
  return least;
}

/** Median round trip in milliseconds, once through the bridge and once without, call by call in turns. */
async function addedLatency(): Promise<{ through: number; direct: number }> {
  await using direct = await FakeRun.initialized();
  await using through = await BridgeRun.initialized();
  const timings: { through: number[]; direct: number[] } = { through: [], direct: [] };
  for (let call = 0; call < CALLS; call++) {
    timings.direct.push(await roundTrip(direct.client));
    timings.through.push(await roundTrip(through.client));
  }
  return { through: median(timings.through), direct: median(timings.direct) };
}

async function roundTrip(client: StdioClient): Promise<number> {
  const from = performance.now();
  await client.callTool("browser_snapshot");
  return performance.now() - from;
}

function medianOf(starts: readonly Start[], field: keyof Start): number {
  return median(starts.map((each) => each[field]));
}
