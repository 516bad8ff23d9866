/** Sessions whose clients go away without a word. Run by `http_patience_test.ts`. */
import assert from "node:assert/strict";
import { HttpRun } from "../../harness/http_run.ts";
import { countOpenFiles, readMemory } from "../../harness/proc_stat.ts";
import { passed, until } from "../../harness/until.ts";

const SESSIONS = 200;

/** How many are opened at the same time. */
const BATCH = 4;

/** Most at a time, so that two cores and their memory have room for the cases beside. */
const MOST = 10;

const IDLE_TTL_MS = 1_000;
const GONE_WITHIN_MS = 20_000;
const MIB = 1024 * 1024;

export async function abandonedSessions(): Promise<void> {
  await using run = await HttpRun.start({
    args: ["--http-session-max", String(MOST), "--http-session-idle-ttl-ms", String(IDLE_TTL_MS)],
  });
  const closed = (): number => run.stderr.split(" session closed ").length - 1;
  await (await run.open()).end();
  const before = await settled(run, 1);
  for (let opened = 0; opened < SESSIONS; opened += BATCH) {
    await until("room for more sessions", () => 1 + opened - closed() <= MOST - BATCH, GONE_WITHIN_MS);
    await Promise.all(Array.from({ length: BATCH }, (_, n) => openAndGo(run, n)));
  }
  const after = await settled(run, 1 + SESSIONS);
  const memory = `server had ${before.residentMib} MiB, has ${after.residentMib} MiB`;
  assert.ok(
    after.files <= before.files + 2,
    `${before.files} open files before, ${after.files} after; ${memory}`,
  );
  assert.equal(run.folder.temporaryDirectories().length, 1, "the spare's directory");
}

/** Opens a session and leaves it, each time another way; none sends DELETE. */
async function openAndGo(run: HttpRun, way: number): Promise<void> {
  const client = await run.open();
  if (way === 1) await (await client.listen()).cancel();
  if (way === 2) {
    const response = await client.post({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "slow", arguments: { ms: 300 } },
    });
    await response.body?.cancel();
  }
  if (way === 3) await client.callTool("spawn");
}

/** What the server holds when all sessions so far have ended by themselves. */
async function settled(run: HttpRun, sessions: number): Promise<{ files: number; residentMib: number }> {
  const closed = (): number => run.stderr.split(" session closed ").length - 1;
  await until("the end of all sessions", () => closed() === sessions, GONE_WITHIN_MS);
  await until("only server and spare", () => run.tree.running().length <= 2, GONE_WITHIN_MS);
  assert.deepEqual((await run.get("/readyz")).body.sessions.active, 0);
  // The client's idle connections go within a second or two.
  await passed(2_500);
  run.tree.record();
  const residentMib = Math.round((readMemory(run.pid)?.residentBytes ?? 0) / MIB);
  return { files: countOpenFiles(run.pid) ?? 0, residentMib };
}
