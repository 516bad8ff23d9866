/** SIGTERM to the last process gone, with sessions open: fakes behind them, and browsers. */
import assert from "node:assert/strict";
import { HttpBrowserRun } from "../e2e/http_browser_run.ts";
import { HttpRun } from "../harness/http_run.ts";
import { until } from "../harness/until.ts";
import type { Row } from "./row.ts";

const SESSIONS = 8;
const WITHIN_MS = 30_000;

export async function httpShutdownRows(): Promise<Row[]> {
  return [
    {
      what: `SIGTERM to nothing left, ${SESSIONS} HTTP sessions, fake upstream`,
      unit: "s",
      value: await withFakes(),
      target: "≤ 5 s",
    },
    {
      what: `SIGTERM to nothing left, ${SESSIONS} HTTP sessions with browsers`,
      unit: "s",
      value: await withBrowsers(),
      target: "≤ 5 s",
    },
  ];
}

async function withFakes(): Promise<number> {
  await using run = await HttpRun.start();
  await Promise.all(Array.from({ length: SESSIONS }, () => run.open()));
  return await secondsToEnd(run);
}

async function withBrowsers(): Promise<number> {
  await using run = await HttpBrowserRun.start({ args: ["--http-session-max", String(SESSIONS)] });
  for (let session = 0; session < SESSIONS; session++) await run.browsing(["about:blank"]);
  const seconds = await secondsToEnd(run.http);
  await run.assertNoProcessLeft();
  return seconds;
}

async function secondsToEnd(run: HttpRun): Promise<number> {
  assert.ok(run.tree.record().length > SESSIONS);
  const from = performance.now();
  run.signal("SIGTERM");
  const { code } = await run.exit(WITHIN_MS);
  assert.equal(code, 0);
  await until("no process left", () => run.tree.running().length === 0, WITHIN_MS);
  return (performance.now() - from) / 1000;
}
