/**
 * `deno task bench [stdio | http | cdp]`: measures the built program against its peers in one run and prints the table of
 * `docs/performance.md`.
 */
import { cdpRows } from "../tests/bench/cdp_bench.ts";
import { httpLargeAnswerRows } from "../tests/bench/http_large_answer_bench.ts";
import { httpLoadRows } from "../tests/bench/http_load_bench.ts";
import { httpSessionStartRows } from "../tests/bench/http_session_start_bench.ts";
import { httpShutdownRows } from "../tests/bench/http_shutdown_bench.ts";
import type { Row } from "../tests/bench/row.ts";
import { stdioRows } from "../tests/bench/stdio_bench.ts";
import { playwrightMcpCommand } from "../tests/harness/peers.ts";
import { say } from "./say.ts";

const PARTS: Readonly<Record<string, readonly (() => Promise<Row[]>)[]>> = {
  stdio: [async () => await stdioRows(await playwrightMcpCommand())],
  http: [
    httpLoadRows,
    httpLargeAnswerRows,
    async () => await httpSessionStartRows(await playwrightMcpCommand()),
    httpShutdownRows,
  ],
  cdp: [cdpRows],
};

function render(row: Row): string {
  const peer = row.peer === undefined ? "" : `${row.peer.value.toFixed(2)} (${row.peer.name})`;
  const ratio = row.peer === undefined ? "" : (row.value / row.peer.value).toFixed(2);
  return `| ${row.what} | ${row.value.toFixed(2)} ${row.unit} | ${peer} | ${ratio} | ${row.target} |`;
}

const chosen = Deno.args.length === 0 ? Object.keys(PARTS) : Deno.args;
const unknown = chosen.find((name) => PARTS[name] === undefined);
if (unknown !== undefined) {
  say(`There is no part "${unknown}"; choose from ${Object.keys(PARTS).join(", ")}`);
  Deno.exit(2);
}
say("| what | measured | peer | ratio | target |\n| --- | --- | --- | --- | --- |");
for (const part of chosen.flatMap((name) => PARTS[name] ?? [])) {
  for (const row of await part()) say(render(row));
}
