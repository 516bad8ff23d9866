/**
 * How long a new HTTP session takes to its first list of tools, with Playwright's own server behind it: with a warm
 * spare, without one, and with a peer. No browser starts.
 */
import assert from "node:assert/strict";
import { HttpRun } from "../harness/http_run.ts";
import { httpPeers } from "../harness/peers.ts";
import { readAllStats } from "../harness/proc_stat.ts";
import { passed, until } from "../harness/until.ts";
import { McpConnections } from "./mcp_connections.ts";
import { PeerRun } from "./peer_run.ts";
import { median, type Row } from "./row.ts";

const SESSIONS = 7;
const WITHIN_MS = 20_000;
/** A process that has used no CPU for so long has finished loading. */
const QUIET_MS = 200;

/** @param playwrightMcp command line of `node …/@playwright/mcp/cli.js` */
export async function httpSessionStartRows(playwrightMcp: readonly string[]): Promise<Row[]> {
  await using warm = await HttpRun.start({ upstream: "embedded", args: ["--http-warm-spares", "1"] });
  await using cold = await HttpRun.start({ upstream: "embedded", args: ["--http-warm-spares", "0"] });
  const { supergateway } = await httpPeers();
  await using peer = await PeerRun.start(supergateway, [...playwrightMcp, "--headless"]);
  const times = { warm: [] as number[], cold: [] as number[], peer: [] as number[] };
  for (let session = 0; session <= SESSIONS; session++) {
    await spareLoaded(warm, session + 1);
    const warmMs = await toolsListMs(warm.port);
    await spareLoaded(warm, session + 2);
    const coldMs = await toolsListMs(cold.port);
    const peerMs = await toolsListMs(peer.port);
    // The first one reads the files from the disk.
    if (session === 0) continue;
    times.warm.push(warmMs);
    times.cold.push(coldMs);
    times.peer.push(peerMs);
  }
  const theirs = { name: "supergateway, node @playwright/mcp", value: median(times.peer) };
  return [
    {
      what: "HTTP session open to tools/list, warm spare",
      unit: "ms",
      value: median(times.warm),
      peer: theirs,
      target: "≤ 150 ms",
    },
    {
      what: "HTTP session open to tools/list, no spare",
      unit: "ms",
      value: median(times.cold),
      peer: theirs,
      target: "",
    },
  ];
}

async function toolsListMs(port: number): Promise<number> {
  using client = await McpConnections.connect(port);
  const from = performance.now();
  await client.initialize();
  const { tools } = await client.request("tools/list", {});
  const ms = performance.now() - from;
  assert.ok(tools.length > 20, "the tools of Playwright");
  return ms;
}

/** Waits until `count` upstreams of the server run and none of them is busy any more. */
async function spareLoaded(run: HttpRun, count: number): Promise<void> {
  const ready = await run.get("/readyz");
  assert.equal(ready.status, 200);
  const upstreams = (): number[] =>
    readAllStats().filter(({ parent }) => parent === run.pid).map(({ cpuTicks }) => cpuTicks);
  await until(`${count} upstreams`, () => upstreams().length >= count, WITHIN_MS);
  await until("upstreams that have loaded", async () => {
    const before = upstreams();
    await passed(QUIET_MS);
    return upstreams().join() === before.join();
  }, WITHIN_MS);
}
