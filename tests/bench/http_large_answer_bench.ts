/** What an answer of 8 MiB costs the process that serves HTTP in memory, and whether it arrives whole. */
import assert from "node:assert/strict";
import { HttpRun } from "../harness/http_run.ts";
import { httpPeers } from "../harness/peers.ts";
import { fakeCommand } from "../harness/target.ts";
import { McpConnections, resultOf } from "./mcp_connections.ts";
import { PeerRun } from "./peer_run.ts";
import { forgetPeak, memoryMb, peakMemoryMb } from "./process_memory.ts";
import { median, type Row } from "./row.ts";

const MIB = 1024 * 1024;
const BYTES = 8 * MIB;
/** When a collection comes is chance. */
const STARTS = 3;
/** The heap of a process that has just started grows with whatever it does first. */
const SMALL_CALLS = 50;

export async function httpLargeAnswerRows(): Promise<Row[]> {
  const upstream = fakeCommand();
  const ours: number[] = [];
  const peers = Object.values(await httpPeers()).map((peer) => ({ peer, growth: [] as number[] }));
  for (let start = 0; start < STARTS; start++) {
    ours.push(await growthMb(await HttpRun.start({ upstream })));
    for (const { peer, growth } of peers) growth.push(await growthMb(await PeerRun.start(peer, upstream)));
  }
  return peers.map(({ peer, growth }) => ({
    what: "HTTP answer of 8 MiB, growth of the server (RSS)",
    unit: "MB",
    value: median(ours),
    peer: { name: peer.name, value: median(growth) },
    target: "≤ 32 MB",
  }));
}

async function growthMb(
  server: AsyncDisposable & { readonly port: number; readonly pid: number },
): Promise<number> {
  await using run = server;
  using client = await McpConnections.connect(run.port);
  await client.initialize();
  for (let call = 0; call < SMALL_CALLS; call++) await client.request("tools/call", bigCall(64));
  await forgetPeak(run.pid);
  const before = await memoryMb(run.pid);
  const { body } = await client.exchange("tools/call", bigCall(BYTES));
  const peak = await peakMemoryMb(run.pid);
  const [content] = resultOf(body).content;
  assert.ok(content.text === "x".repeat(BYTES), "the answer arrives whole");
  return peak - before;
}

function bigCall(bytes: number): unknown {
  return { name: "big", arguments: { bytes } };
}
