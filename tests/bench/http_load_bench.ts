/**
 * Round trips of tool calls over Streamable HTTP: one after the other, and sixteen at a time. The servers are all
 * up and take turns, so that whatever else the machine does meets each of them.
 */
import assert from "node:assert/strict";
import { HttpRun } from "../harness/http_run.ts";
import { type HttpPeer, httpPeers } from "../harness/peers.ts";
import { fakeCommand } from "../harness/target.ts";
import { McpConnections, resultOf } from "./mcp_connections.ts";
import { PeerRun } from "./peer_run.ts";
import { median, type Row } from "./row.ts";

const ROUNDS = 12;
/** Of each round and server, enough that the turn of one takes some hundred milliseconds. */
const SEQUENTIAL_CALLS = 150;
const PARALLEL_CALLS = 400;
const CONNECTIONS = 16;

/** The cheapest call that every server hands on unchanged: one text of a fixed length. */
const CALL = { name: "big", arguments: { bytes: 64 } };
const EXPECTED = { content: [{ type: "text", text: "x".repeat(64) }] };

interface Measured {
  readonly name: string;
  readonly client: McpConnections;
  readonly roundTripsMs: number[];
  readonly callsPerSecond: number[];
}

/** Our server first, then the peers. */
export async function httpLoadRows(): Promise<Row[]> {
  const upstream = fakeCommand();
  const peers: HttpPeer[] = Object.values(await httpPeers());
  await using servers = new AsyncDisposableStack();
  const ours = servers.use(await HttpRun.start({ upstream }));
  const runs: { name: string; port: number }[] = [{ name: "ours", port: ours.port }];
  for (const peer of peers) runs.push(servers.use(await PeerRun.start(peer, upstream)));

  using clients = new DisposableStack();
  const measured: Measured[] = [];
  for (const { name, port } of runs) {
    const client = clients.use(await McpConnections.connect(port, CONNECTIONS));
    await client.initialize();
    measured.push({ name, client, roundTripsMs: [], callsPerSecond: [] });
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const server of measured) {
      const roundTripsMs = await sequential(server.client);
      const callsPerSecond = await parallel(server.client);
      // The first round is for the compilers.
      if (round === 0) continue;
      server.roundTripsMs.push(...roundTripsMs);
      server.callsPerSecond.push(callsPerSecond);
    }
  }
  return rowsOf(measured);
}

function rowsOf([ours, ...peers]: readonly Measured[]): Row[] {
  assert.ok(ours);
  return peers.flatMap((peer) => [
    {
      what: "HTTP tools/call p50, fake upstream",
      unit: "ms",
      value: median(ours.roundTripsMs),
      peer: { name: peer.name, value: median(peer.roundTripsMs) },
      target: "ratio ≤ 0.4",
    },
    {
      what: `HTTP tools/call, ${CONNECTIONS} at a time, fake upstream`,
      unit: "calls/s",
      value: median(ours.callsPerSecond),
      peer: { name: peer.name, value: median(peer.callsPerSecond) },
      target: "ratio ≥ 2.5",
    },
  ]);
}

async function sequential(client: McpConnections): Promise<number[]> {
  const roundTripsMs: number[] = [];
  for (let call = 0; call < SEQUENTIAL_CALLS; call++) {
    const from = performance.now();
    const { body } = await client.exchange("tools/call", CALL);
    roundTripsMs.push(performance.now() - from);
    assert.deepEqual(resultOf(body), EXPECTED);
  }
  return roundTripsMs;
}

async function parallel(client: McpConnections): Promise<number> {
  let left = PARALLEL_CALLS;
  const bodies: Uint8Array[] = [];
  const from = performance.now();
  await Promise.all(Array.from({ length: client.count }, async (_, connection) => {
    while (left-- > 0) bodies.push((await client.exchange("tools/call", CALL, connection)).body);
  }));
  const seconds = (performance.now() - from) / 1000;
  for (const body of bodies) assert.deepEqual(resultOf(body), EXPECTED);
  return bodies.length / seconds;
}
